package org.pgas4j.kernels;

import java.io.Serializable;
import java.util.List;

/** CUDA C++ of a kernel written in Java, for all lambdas of one place of a program. Immutable. */
public final class TranslatedKernel {

    /** Option of the compiler for kernels whose memory overlaps. */
    public static final String OVERLAPPING = "-DPGAS_APART=";

    private final KernelLambda lambda;
    private final String name;
    private final String cuda;
    private final long blockBytes;
    private final boolean usesBlocks;
    private final boolean usesAtomics;
    private final List<KernelSite> sites;
    private final List<KernelLine> lines;
    private final List<Kind> captured;
    private final List<ApartPair> apart;
    private final KernelPart part;

    TranslatedKernel(KernelLambda lambda, KernelTranslator.Source source) {
        this.lambda = lambda;
        this.name = source.name();
        this.cuda = source.cuda();
        this.blockBytes = source.translation().blockBytes();
        this.usesBlocks = source.translation().usesBlocks();
        this.usesAtomics = source.translation().usesAtomics();
        this.sites = source.translation().sites();
        this.lines = source.translation().lines();
        this.captured = List.copyOf(source.captured());
        this.apart = source.apart();
        this.part = source.part();
    }

    /** Name of the function that is launched. */
    public String name() {
        return name;
    }

    /** Class and method of the kernel, for messages. */
    public String origin() {
        return lambda.name();
    }

    /** Its source. */
    public String cuda() {
        return cuda;
    }

    /** Parts of a kernel that calls this function; null if this is a kernel. */
    public KernelPart part() {
        return part;
    }

    /**
     * Options of its compiler.
     *
     * @param threads of a block; for a multiple of a power of 2 the options are the same
     */
    public List<String> options(int threads) {
        return KernelTranslator.options(lambda.isFast(), threads);
    }

    /** Options of the compiler for a block program on blocks of exactly {@code threads} threads. */
    public List<String> blockOptions(int threads) {
        return KernelTranslator.blockOptions(lambda.isFast(), threads);
    }

    /** Dynamic shared memory that each block needs, bytes. */
    public long blockBytes() {
        return blockBytes;
    }

    /** Captured values whose memory must not overlap, or else the source is to be compiled with {@link #OVERLAPPING}. */
    public List<ApartPair> apart() {
        return apart;
    }

    /** Values that {@code body}, a lambda of the same place, has captured; records are taken apart. */
    public Object[] captured(Serializable body) {
        return CapturedValues.flat(lambda, lambda.captured(body), captured);
    }

    /** Values that {@code body}, a lambda of the same place, has captured, as they are. */
    public Object[] values(Serializable body) {
        return lambda.captured(body);
    }

    /** A lambda of the same place with other captured values, of the same types, for the host device. */
    public Serializable with(Object[] values) {
        return lambda.with(values);
    }

    /** True if threads of a block wait for each other or use its memory. */
    public boolean usesBlocks() {
        return usesBlocks;
    }

    /** True if the source needs the device's atomic operations, pgas_atomic.cuh with its constants, in front of it. */
    public boolean usesAtomics() {
        return usesAtomics;
    }

    /** True if its threads print lines. */
    public boolean printsLines() {
        return !lines.isEmpty();
    }

    /**
     * Text of a line that a thread has printed.
     *
     * @param number of the line among those of the kernel
     * @param bits   of its values
     */
    public String line(int number, long[] bits) {
        return lines.get(number).text(bits);
    }

    /** The exception that a fault written down by a thread of the kernel would be in Java; the message names the place. */
    public RuntimeException fault(int kind, int site, long first, long second) {
        KernelSite at = sites.get(site);
        return switch (FaultKind.of(kind)) {
            case INDEX -> new IndexOutOfBoundsException("index " + first + " out of bounds for length " + second + " at " + at);
            case DIVISION -> new ArithmeticException("division by zero at " + at);
            case UNREACHABLE -> new IllegalStateException("element " + first + " is on rank " + second
                    + ", whose memory this device does not reach; use a window, or memget before the kernel; at " + at);
            case MEMORY -> new IllegalStateException("an array that an operation of the block fills is no memory of the block; make it by "
                    + "sharedLongs; at " + at);
            case DIMENSIONS -> new IndexOutOfBoundsException("element by " + first + " coordinates of an array of " + second
                    + " dimensions at " + at);
            case THROWN -> new IllegalStateException(at.what() + " at " + at);
        };
    }
}
