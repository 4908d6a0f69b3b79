package org.pgas4j.examples.matmul;

import java.nio.file.Path;
import org.pgas4j.ElementType;
import org.pgas4j.UsageException;
import org.pgas4j.examples.common.Example;
import org.pgas4j.examples.common.Options;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command line. */
@Command(name = "matmul", mixinStandardHelpOptions = true, sortOptions = false,
        header = "C = A*B on many ranks: B and C split by columns, A on every rank, C put to rank 0.",
        description = "Without --a and --n, A is bcsstk13 (2003 x 2003), which comes with the example.",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {Example.VERIFIED_CODE, Example.WRONG_CODE,
            "2:an option or a matrix file is wrong, or memory does not suffice", Example.JOB_CODES})
final class MatmulOptions {

    enum Style {
        /** Device memory put straight to rank 0. */
        RUNTIME("runtime"),
        /** Written by hand: copy to the host, barrier, host put, barrier, copy to the device. */
        USER_LEVEL("user-level");

        private final String text;

        Style(String text) {
            this.text = text;
        }

        @Override
        public String toString() {
            return text;
        }
    }

    enum Dtype {
        F32("f32", ElementType.FLOAT),
        F64("f64", ElementType.DOUBLE);

        private final String text;
        private final ElementType type;

        Dtype(String text, ElementType type) {
            this.text = text;
            this.type = type;
        }

        ElementType type() {
            return type;
        }

        @Override
        public String toString() {
            return text;
        }
    }

    @Option(names = "--ranks", paramLabel = "N",
            description = "ranks (default: 4)")
    private Integer ranks;

    @Option(names = "--processes", paramLabel = "N", defaultValue = "1", hidden = true)
    private int processes;

    @Option(names = "--device", paramLabel = "KIND", description = "auto, host or cuda (default: auto)")
    private String device;

    @Option(names = "--a", paramLabel = "FILE", description = "A: Matrix Market or NumPy .npy")
    private Path a;

    @Option(names = "--b", paramLabel = "FILE", description = "B; A itself if left out")
    private Path b;

    @Option(names = "--n", paramLabel = "N", description = "random N x N matrices instead of files")
    private Integer n;

    @Option(names = "--seed", paramLabel = "SEED", defaultValue = "1",
            description = "of the random matrices (default: ${DEFAULT-VALUE})")
    private int seed;

    @Option(names = "--dtype", paramLabel = "TYPE", defaultValue = "f64",
            description = "f32 or f64 (default: ${DEFAULT-VALUE})")
    private Dtype dtype;

    @Option(names = "--style", paramLabel = "STYLE", defaultValue = "runtime",
            description = "runtime, or user-level: copies, barriers and host puts written by hand "
                    + "(default: ${DEFAULT-VALUE})")
    private Style style;

    @Option(names = "--iterations", paramLabel = "K", defaultValue = "5",
            description = "products measured, each one checked (default: ${DEFAULT-VALUE})")
    private int iterations;

    @Option(names = "--warmup", paramLabel = "K", defaultValue = "1",
            description = "products before those (default: ${DEFAULT-VALUE})")
    private int warmup;

    @Option(names = "--chunks", paramLabel = "K", defaultValue = "0",
            description = "pieces of a rank's columns, one put while the next is computed; 0 chooses "
                    + "(default: ${DEFAULT-VALUE})")
    private int chunks;

    @Option(names = "--verify", negatable = true, defaultValue = "true", fallbackValue = "true",
            description = "check C against a product made without BLAS (default: yes)")
    private boolean verify;

    @Option(names = "--baseline", description = "also measure the plain library product on the same hardware")
    private boolean baseline;

    @Option(names = LibraryProcess.OPTION, hidden = true)
    private boolean libraryOnly;

    @Option(names = "--out", paramLabel = "FILE", description = "write C as .npy")
    private Path out;

    @Option(names = "--json", description = "one JSON object a line, the summary last")
    private boolean json;

    /** Checks what can be checked without reading a file. */
    void validate() {
        Options.atLeast(1, "--iterations", iterations);
        Options.atLeast(0, "--warmup", warmup);
        Options.atLeast(0, "--chunks", chunks);
        if (ranks != null) {
            Options.atLeast(1, "--ranks", ranks);
        }
        if (processes != 1) {
            throw new UsageException("--processes " + processes + ": this is one process; start several with "
                    + "scripts/matmul --processes " + processes + " or pgasrun");
        }
        Options.checkDevice(device);
        if (n != null) {
            Options.atLeast(1, "--n", n);
            if (a != null || b != null) {
                throw new UsageException("--n makes random matrices, --a and --b read files: give one or the other");
            }
        }
        if (chunks > 0 && style == Style.USER_LEVEL) {
            throw new UsageException("--chunks has no meaning with --style user-level");
        }
    }

    /** Null if not given. */
    Integer ranks() {
        return ranks;
    }

    /** Null if not given. */
    String device() {
        return device;
    }

    /** Null: the matrix that comes with the example, or a random one. */
    Path a() {
        return a;
    }

    /** Null: as A. */
    Path b() {
        return b;
    }

    /** Null: files. */
    Integer n() {
        return n;
    }

    int seed() {
        return seed;
    }

    Dtype dtype() {
        return dtype;
    }

    ElementType type() {
        return dtype.type();
    }

    Style style() {
        return style;
    }

    int iterations() {
        return iterations;
    }

    int warmup() {
        return warmup;
    }

    /** 0: to be chosen. */
    int chunks() {
        return chunks;
    }

    boolean verify() {
        return verify;
    }

    boolean baseline() {
        return baseline;
    }

    /** True in the JVM that measures the baseline. */
    boolean libraryOnly() {
        return libraryOnly;
    }

    /** Null if not wanted. */
    Path out() {
        return out;
    }

    boolean json() {
        return json;
    }
}
