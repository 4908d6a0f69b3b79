package org.pgas4j;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * Code of one or more kernels for GPUs: CUDA C++ source with the options and headers of its compiler, NVRTC, or what a compiler
 * has made of such source, PTX or a CUBIN. A value: codes that are equal share one compiled module of a device, and one file of
 * the cache on disk. Never changed, so any thread may use it.
 *
 * <p>Source is compiled as C++17 for the architecture of the device, at the first launch. Lines of messages are those of the
 * source, unless a {@code #line} directive in it gives other ones.
 */
public final class CudaCode {

    /** Form of a code. */
    public enum Form {
        /** CUDA C++, compiled by NVRTC. */
        SOURCE,
        /** PTX, translated by the driver at the first launch. */
        PTX,
        /** Machine code of an architecture, or a fat binary of several. */
        CUBIN
    }

    private static final List<String> OF_THE_RUNTIME = List.of("--gpu-architecture", "-arch");
    private static final byte[] NONE = {};

    private final Form form;
    private final String text;
    private final byte[] image;
    private final List<String> options;
    private final Map<String, String> headers; // ordered by name
    private final int hash;

    private CudaCode(Form form, String text, byte[] image, List<String> options, Map<String, String> headers) {
        this.form = form;
        this.text = text;
        this.image = image;
        this.options = options;
        this.headers = headers;
        this.hash = Objects.hash(form, text, options, headers) + 31 * Arrays.hashCode(image);
    }

    /** Source as it is, without options. */
    public static CudaCode source(String text) {
        return new CudaCode(Form.SOURCE, Objects.requireNonNull(text, "source"), NONE, List.of(), Map.of());
    }

    /**
     * Source of a resource, UTF-8.
     *
     * @param name as {@link Class#getResourceAsStream} takes it: relative to the package of {@code of}, which a named module
     *             opens to this one
     * @throws IllegalArgumentException if there is no such resource
     */
    public static CudaCode resource(Class<?> of, String name) {
        return source(read(of, name));
    }

    /** PTX, as {@code nvcc -ptx} writes it; its architecture is that of the device or an older one. */
    public static CudaCode ptx(String text) {
        return new CudaCode(Form.PTX, Objects.requireNonNull(text, "ptx"), NONE, List.of(), Map.of());
    }

    /** A CUBIN, as {@code nvcc -cubin} writes it for the architecture of the device, or a fat binary that has one for it. */
    public static CudaCode cubin(byte[] image) {
        if (image.length == 0) {
            throw new IllegalArgumentException("CUBIN of 0 bytes (expected: what a compiler wrote)");
        }
        return new CudaCode(Form.CUBIN, "", image.clone(), List.of(), Map.of());
    }

    /**
     * The same code with further options of NVRTC after those it has, each as one string, as {@code --fmad=false}, {@code
     * --use_fast_math}, {@code -DNAME=1}, {@code --generate-line-info}. {@code --std=} replaces C++17. With options that read
     * files ({@code -I}), whose content may change, the result is not kept on disk.
     *
     * @throws IllegalArgumentException if one is blank, or names an architecture, which is that of the device
     * @throws IllegalStateException    if this is compiled already
     */
    public CudaCode withOptions(List<String> more) {
        requireSource("options");
        List<String> all = new ArrayList<>(options);
        for (String option : more) {
            all.add(checked(option));
        }
        return new CudaCode(form, text, image, List.copyOf(all), headers);
    }

    /** As {@link #withOptions(List)}. */
    public CudaCode withOptions(String... more) {
        return withOptions(List.of(more));
    }

    /**
     * The same code with a header, which the source and other headers may {@code #include} by its name.
     *
     * @throws IllegalArgumentException if it has a header of that name, of another text
     * @throws IllegalStateException    if this is compiled already
     */
    public CudaCode withHeader(String name, String header) {
        requireSource("headers");
        Map<String, String> all = new TreeMap<>(headers);
        String other = all.put(name, Objects.requireNonNull(header, name));
        if (name.isBlank() || other != null && !other.equals(header)) {
            throw new IllegalArgumentException("header '" + name + "'"
                    + (name.isBlank() ? " (expected: a name)" : " is given twice, with different texts"));
        }
        return new CudaCode(form, text, image, options, Collections.unmodifiableMap(all));
    }

    /** As {@link #withHeader(String, String)}, with the resource of that name: {@link #resource}. */
    public CudaCode withHeader(Class<?> of, String name) {
        return withHeader(name, read(of, name));
    }

    /**
     * Another source with the options and headers of this.
     *
     * @throws IllegalStateException if this is compiled already
     */
    public CudaCode withSource(String source) {
        requireSource("another source");
        return new CudaCode(form, Objects.requireNonNull(source, "source"), image, options, headers);
    }

    private void requireSource(String what) {
        if (form != Form.SOURCE) {
            throw new IllegalStateException(what + " for a " + form + ", which is compiled already (expected: CUDA C++ source)");
        }
    }

    private static String read(Class<?> of, String name) {
        try (InputStream in = of.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalArgumentException("no resource " + name + " beside " + of.getName()
                        + " (expected: a file of its package, or a path that begins with /; a named module opens its package to "
                        + CudaCode.class.getModule() + ")");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("resource " + name + " of " + of.getName(), e);
        }
    }

    private static String checked(String option) {
        if (option.isBlank()) {
            throw new IllegalArgumentException("compile option '" + option + "' (expected: one option of NVRTC for each string)");
        }
        for (String reserved : OF_THE_RUNTIME) {
            if (option.strip().startsWith(reserved)) {
                throw new IllegalArgumentException("compile option '" + option
                        + "' names an architecture (expected: none, the source is compiled for that of the device)");
            }
        }
        return option.strip();
    }

    /** Form of the code. */
    public Form form() {
        return form;
    }

    /** The source or PTX; empty for a CUBIN. */
    public String text() {
        return text;
    }

    /** A copy of the CUBIN; empty for another form. */
    public byte[] image() {
        return image.clone();
    }

    /** The options, in the order in which they were given. */
    public List<String> options() {
        return options;
    }

    /** The texts of the headers by their names, in the order of the names. */
    public Map<String, String> headers() {
        return headers;
    }

    @Override
    public boolean equals(Object other) {
        return this == other || other instanceof CudaCode code && hash == code.hash && form == code.form && text.equals(code.text)
                && options.equals(code.options) && headers.equals(code.headers) && Arrays.equals(image, code.image);
    }

    @Override
    public int hashCode() {
        return hash;
    }

    @Override
    public String toString() {
        return "CudaCode[" + form + " of " + (form == Form.CUBIN ? image.length + " bytes" : text.length() + " characters")
                + ", options " + options + ", headers " + headers.keySet() + "]";
    }
}
