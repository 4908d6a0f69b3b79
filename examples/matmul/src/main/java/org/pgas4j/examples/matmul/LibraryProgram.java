package org.pgas4j.examples.matmul;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.pgas4j.Buffer;
import org.pgas4j.Rank;
import org.pgas4j.RankProgram;

/** What runs in the JVM of {@link LibraryProcess}: for each line read one product, and a line with its milliseconds. */
final class LibraryProgram implements RankProgram {

    private final Inputs inputs;
    private final MatmulOptions options;
    private final PrintStream out;

    LibraryProgram(Inputs inputs, MatmulOptions options, PrintStream out) {
        this.inputs = inputs;
        this.options = options;
        this.out = out;
    }

    @Override
    public void run(Rank rank) throws IOException, InterruptedException {
        long n = inputs.n();
        Buffer a = DeviceArrays.alloc(rank, options.type(), n * n, "A");
        Buffer c = DeviceArrays.alloc(rank, options.type(), n * n, "C");
        DeviceArrays.upload(rank, inputs.a(), new Columns(0, n), a);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        try (Baseline library = new LibraryOnDevice(rank, a, inputs.b(), c)) {
            while (in.readLine() != null) {   // ends with the JVM that asks
                out.println(library.multiplyMs());
                out.flush();
            }
        }
    }
}
