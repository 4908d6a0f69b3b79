package org.pgas4j.kernel.runtime;

import java.io.PrintStream;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.StringJoiner;
import org.pgas4j.Kernel;
import org.pgas4j.PgasKey;
import org.pgas4j.SharedArray;
import org.pgas4j.kernels.TranslatedKernel;

/** Prints kernels that {@link PgasKey#KERNEL_EXPLAIN} asks for at their first launch. Used by the rank's thread. */
final class KernelExplanations {

    private static final double NS_PER_MS = 1e6;

    private final String wanted;
    private final PrintStream out;
    private final Set<TranslatedKernel> printed = new HashSet<>();
    private final Set<TranslatedKernel> timed = new HashSet<>(); // of those that are printed

    /** @param wanted value of the setting: {@code none}, {@code all}, or part of the names of kernels */
    KernelExplanations(String wanted, PrintStream out) {
        this.wanted = wanted;
        this.out = out;
    }

    /**
     * Prints a kernel, if it is wanted and was not printed.
     *
     * @param device   that it runs on, for the text
     * @param captured its captured values
     * @param range    of a loop; null for a grid
     * @param shape    null for a function that other kernels call
     */
    void launched(TranslatedKernel kernel, String device, Object[] captured, KernelRange range, Kernel.Shape shape) {
        print(kernel, device, captured, range, range == null ? "grid" : range.text(), shape);
    }

    /** As {@link #launched}, of a scan. */
    void scanned(TranslatedKernel kernel, String device, Object[] captured, Kernel.Shape shape) {
        print(kernel, device, captured, null, "scan", shape);
    }

    /** As {@link #launched}, of a function by which collective operations combine elements. */
    void combining(TranslatedKernel function, String device, Object[] captured) {
        print(function, device, captured, null, "combines elements in collective operations", null);
    }

    /** Says why a function of the program combines elements on the host. */
    void combinesOnHost(Object function, String reason) {
        boolean isNamed = reason.contains(wanted) || function.getClass().getName().contains(wanted);
        if (wanted.equals("all") || !wanted.equals("none") && isNamed) {
            out.println("elements of collective operations are combined on the host: " + reason);
            out.flush();
        }
    }

    /** Options of the compiler for a kernel: what is explained shows its lines in Java in NVIDIA's tools. */
    List<String> options(TranslatedKernel kernel) {
        return isWanted(kernel) ? List.of("--generate-line-info") : List.of();
    }

    private boolean isWanted(TranslatedKernel kernel) {
        return wanted.equals("all") || !wanted.equals("none") && kernel.origin().contains(wanted);
    }

    /** True if a kernel was printed and its first launch was not timed yet. */
    boolean isUntimed(TranslatedKernel kernel) {
        return printed.size() > timed.size() && printed.contains(kernel) && !timed.contains(kernel);
    }

    /**
     * Prints the times of a kernel's first launch.
     *
     * @param translateNs for the translation, nanoseconds; next to nothing if another rank of the JVM has done it
     * @param launchNs    for the launch: to compile or read from disk, to load, and to queue
     */
    void timed(TranslatedKernel kernel, long translateNs, long launchNs) {
        timed.add(kernel);
        out.printf(Locale.ROOT, "kernel %s: translated in %.1f ms, then compiled or read from disk, loaded and queued in %.1f ms%n",
                kernel.origin(), translateNs / NS_PER_MS, launchNs / NS_PER_MS);
        out.flush();
    }

    private void print(TranslatedKernel kernel, String device, Object[] captured, KernelRange range, String form, Kernel.Shape shape) {
        if (!isWanted(kernel) || !printed.add(kernel)) {
            return;
        }
        out.print(text(kernel, device, captured, range, form, shape));
        out.flush();
    }

    private String text(TranslatedKernel kernel, String device, Object[] captured, KernelRange range, String form,
                               Kernel.Shape shape) {
        StringJoiner lines = new StringJoiner(System.lineSeparator(), "", System.lineSeparator());
        lines.add("kernel " + kernel.origin() + " on " + device);
        lines.add("  form      " + form);
        if (shape != null) {
            lines.add("  launch    " + shape.blocks() + " x " + shape.threads() + " threads, "
                    + Math.max(shape.sharedBytes(), kernel.blockBytes()) + " bytes of block memory"
                    + (kernel.usesBlocks() ? ", threads of a block wait for each other" : ""));
            lines.add("  options   " + String.join(" ", kernel.options(shape.threads())) + " " + String.join(" ", options(kernel)));
        }
        for (int i = 0; i < captured.length; i++) {
            lines.add("  captured  " + captured[i] + place(captured[i], range));
        }
        lines.add("  source    of " + kernel.name() + ":");
        return lines + kernel.cuda() + System.lineSeparator();
    }

    private static String place(Object captured, KernelRange range) {
        if (!(range instanceof LoopRange loop) || !(captured instanceof SharedArray array)) {
            return "";
        }
        return loop.isAligned(array.place()) ? ", laid out as the loop: no division for an element"
                : ", laid out otherwise: a division for an element";
    }
}
