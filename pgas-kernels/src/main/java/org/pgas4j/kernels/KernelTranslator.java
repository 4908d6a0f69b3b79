package org.pgas4j.kernels;

import java.io.IOException;
import java.io.InputStream;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * Translates kernels from Java's class files to CUDA C++, each place of a program once. Integers wrap, shifts, conversions,
 * comparisons with NaN and remainders are Java's; the source must be compiled without contraction of products and sums for floating
 * point to be Java's, too. Thread-safe.
 */
public final class KernelTranslator {

    private static final int MAX_REGISTERS = 32;
    private static final int WARP = 32;
    private static final int MAX_RESTARTED = 40_000; // characters of C++: all of it is compiled a second time
    private static final String HEADER = read("pgas_java.cuh");
    private static final String GRID_HEADER = read("pgas_grid.cuh");
    private static final String SCAN_HEADER = read("pgas_scan.cuh");

    private static final ClassValue<Map<KernelForm, TranslatedKernel>> KNOWN = new ClassValue<>() {
        @Override
        protected Map<KernelForm, TranslatedKernel> computeValue(Class<?> type) {
            return new EnumMap<>(KernelForm.class);
        }
    };

    private KernelTranslator() {
    }

    /**
     * Options of NVRTC and nvcc with which kernels are compiled: Java rounds each product and sum. The compiler learns the threads of
     * a block, rounded up to a power of 2, from which it knows ranges of indices, and whether all warps are whole; not their exact
     * number, as it unrolls loops by threads then until a stencil has half as many registers more. The kernel itself takes the registers
     * that it needs; rarely used functions that it calls keep to few of them, so that they do not cost occupancy.
     *
     * @param isFast  true for a kernel that is marked {@link org.pgas4j.kernel.FastMath}
     * @param threads of a block
     */
    public static List<String> options(boolean isFast, int threads) {
        int power = threads <= 1 ? 1 : Integer.highestOneBit(threads - 1) * 2;
        List<String> options = new ArrayList<>(List.of(rounding(isFast), "--maxrregcount=" + MAX_REGISTERS,
                "-DPGAS_MAX_THREADS=" + power));
        if (threads % WARP == 0) {
            options.add("-DPGAS_WHOLE_WARPS");
        }
        return options;
    }

    private static String rounding(boolean isFast) {
        return isFast ? "--use_fast_math" : "--fmad=false";
    }

    /** The same for block programs, whose blocks have exactly {@code threads} threads. */
    public static List<String> blockOptions(boolean isFast, int threads) {
        return List.of(rounding(isFast), "-DPGAS_THREADS=" + threads);
    }

    /**
     * The kernel for a lambda expression or method reference.
     *
     * @throws org.pgas4j.KernelRefusedException if it uses something that kernels do not have
     */
    public static TranslatedKernel translate(Serializable body, KernelForm form) {
        Map<KernelForm, TranslatedKernel> known = KNOWN.get(body.getClass());
        synchronized (known) {
            return known.computeIfAbsent(form, _ -> make(new KernelLambda(body), form));
        }
    }

    private static TranslatedKernel make(KernelLambda lambda, KernelForm form) {
        Source source = source(new ClassFiles(lambda.loader()), lambda.owner(), lambda.method(), lambda.descriptor(),
                lambda.capturedCount(), form);
        return new TranslatedKernel(lambda, source);
    }

    /**
     * C++ of a kernel.
     *
     * @param name     of its function
     * @param captured kinds of its method's first parameters
     * @param apart    those whose memory must not overlap
     * @param part     of a function that kernels of others call; null for others
     */
    record Source(String name, String cuda, Translation translation, List<Kind> captured, List<ApartPair> apart, KernelPart part) {
    }

    /** Translates the kernel whose body is a static method with {@code capturedCount} parameters before the kernel's own. */
    static Source source(ClassFiles files, String owner, String method, String descriptor, int capturedCount, KernelForm form) {
        Body body = new Body(files, owner, method, descriptor, capturedCount);
        Translation.Form first = form == KernelForm.GRID && form() == Translation.Form.WHOLE ? Translation.Form.FIRST : form();
        Source source = source(body, form, first);
        Translation made = source.translation();
        return made.restarts() && (made.mustNotRestart() || source.cuda().length() > HEADER.length() + MAX_RESTARTED)
                ? source(body, form, form()) : source;
    }

    /** Static method of a kernel. */
    private record Body(ClassFiles files, String owner, String method, String descriptor, int capturedCount) {

        String kernel() {
            return KernelLambda.name(owner, method);
        }
    }

    private static Source source(Body of, KernelForm form, Translation.Form first) {
        String kernel = of.kernel();
        Translation translation = new Translation(kernel, of.files);
        List<Kind> captured = new ArrayList<>();
        List<ClassDesc> parameters = MethodTypeDesc.ofDescriptor(of.descriptor).parameterList();
        for (int i = 0; i < of.capturedCount; i++) {
            captured.add(captured(translation, of.files.type(parameters.get(i))));
        }
        if (form == KernelForm.BLOCKS && hasGrids(captured)) {
            throw translation.refused(null, "uses a global array in a block program", "use a shared array, or a kernel of a stream");
        }
        if (form.isPart() && !captured.stream().allMatch(KernelTranslator::isNumber)) {
            throw translation.refused(null, "uses memory in a function that combines elements", "capture numbers only");
        }
        KernelSite at = new KernelSite(kernel, "kernel", 0, null);
        boolean mayRestart = first == Translation.Form.FIRST && KernelRestart.takes(captured);
        Translation.Function body = translation.function(at, of.owner, of.method, of.descriptor, mayRestart ? first : form());
        String name = "pgas_" + kernel.replaceAll("[^A-Za-z0-9]", "_");
        FastLoop fast = form.isLoop() && form() != Translation.Form.CHECKED
                ? FastLoop.of(translation, of.owner, of.method, of.descriptor, captured) : null;
        int site = form.isScan() ? translation.site(at) : 0;
        KernelRestart restart = translation.restarts() ? new KernelRestart(name, captured) : null;
        String again = restart == null ? "" : restart.text(translation.again(at, of.owner,
                of.files.method(of.owner, of.method, of.descriptor), restart.call()));
        KernelEntry entry = new KernelEntry(name, form, body, captured, fast, site, translation.gathers());
        if (form.isPart()) {
            String functions = "\n// ---- " + kernel + "\n\n" + translation.text() + "#line 1 \"" + name + "\"\n";
            return new Source(name, headers(captured, form) + functions, translation, captured, List.of(), entry.part());
        }
        String cuda = "\n// ---- " + kernel + "\n\n" + translation.text() + "#line 1 \"" + name + "\"\n" + again
                + entry.text(restart == null ? "" : restart.keeping());
        return new Source(name, form == KernelForm.BLOCKS ? BlockSource.text(HEADER, cuda, translation.blockBytes())
                : headers(captured, form) + cuda, translation, captured, entry.apart(), null);
    }

    private static String headers(List<Kind> captured, KernelForm form) {
        return HEADER + (form.isSpace() || hasGrids(captured) ? GRID_HEADER : "") + (form.isScan() ? SCAN_HEADER : "");
    }

    private static boolean isNumber(Kind kind) {
        return switch (kind) {
            case Kind.Number _ -> true;
            case Kind.Struct struct -> struct.struct().fields().values().stream().allMatch(KernelTranslator::isNumber);
            case Kind.Known known -> known.type().isConstant();
        };
    }

    private static boolean hasGrids(List<Kind> captured) {
        return captured.stream().anyMatch(kind -> kind instanceof Kind.Known known && known.type().isGrid());
    }

    /** Copies of parts are left out with {@code -Dorg.pgas4j.kernels.copies=false}, to compare. */
    private static Translation.Form form() {
        return Boolean.parseBoolean(System.getProperty("org.pgas4j.kernels.copies", "true")) ? Translation.Form.WHOLE
                : Translation.Form.CHECKED;
    }

    private static Kind captured(Translation translation, Class<?> type) {
        Kind kind = translation.kind(type, null);
        if (kind instanceof Kind.Known known && !known.type().isCaptured()) {
            throw translation.refused(null, "uses an object of " + type.getTypeName() + " that is made outside of it",
                    type.isArray() ? "copy the array to a shared array or a Buffer" : "use the one that the kernel has as its parameter");
        }
        return kind;
    }

    /** The C++ that all kernels stand on. */
    static String header() {
        return HEADER;
    }

    /** Text of a resource beside this class. */
    static String read(String resource) {
        try (InputStream in = KernelTranslator.class.getResourceAsStream(resource)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
