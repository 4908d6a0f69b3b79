package org.pgas4j;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * CUDA C++ source of one or more kernels, with the options of its compiler, NVRTC. A value: codes that are equal share one compiled
 * module of a device, and one file of the cache on disk. Never changed, so any thread may use it.
 *
 * <p>Compiled as C++17 for the architecture of the device, at the first launch. Lines of messages are those of the source, unless a
 * {@code #line} directive in it gives other ones.
 */
public final class CudaCode {

    private static final List<String> OF_THE_RUNTIME = List.of("--gpu-architecture", "-arch");

    private final String source;
    private final List<String> options;
    private final int hash;

    private CudaCode(String source, List<String> options) {
        this.source = Objects.requireNonNull(source, "source");
        this.options = options;
        this.hash = Objects.hash(source, options);
    }

    /** Source as it is, without options. */
    public static CudaCode source(String text) {
        return new CudaCode(text, List.of());
    }

    /**
     * The same code with further options of NVRTC after those it has, each as one string, as {@code --fmad=false}, {@code
     * --use_fast_math}, {@code -DNAME=1}, {@code --generate-line-info}. {@code --std=} replaces C++17. With options that read files
     * ({@code -I}), whose content may change, the result is not kept on disk.
     *
     * @throws IllegalArgumentException if one is blank, or names an architecture, which is that of the device
     */
    public CudaCode withOptions(List<String> more) {
        List<String> all = new ArrayList<>(options);
        for (String option : more) {
            all.add(checked(option));
        }
        return new CudaCode(source, List.copyOf(all));
    }

    /** As {@link #withOptions(List)}. */
    public CudaCode withOptions(String... more) {
        return withOptions(List.of(more));
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

    /** The source. */
    public String source() {
        return source;
    }

    /** The options, in the order in which they were given. */
    public List<String> options() {
        return options;
    }

    @Override
    public boolean equals(Object other) {
        return this == other || other instanceof CudaCode code && hash == code.hash && source.equals(code.source)
                && options.equals(code.options);
    }

    @Override
    public int hashCode() {
        return hash;
    }

    @Override
    public String toString() {
        return "CudaCode[" + source.length() + " characters, options " + options + "]";
    }
}
