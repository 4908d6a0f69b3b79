package org.pgas4j.examples.matmul;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.Writer;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.pgas4j.Backend;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.PgasException;
import org.pgas4j.Rank;
import org.pgas4j.SharedArray;
import org.pgas4j.examples.matmul.Matmul.Dtype;

/**
 * The whole product by the plain library, cuBLAS or OpenBLAS, on one device, without communication. Measured in turn
 * with the ranks' own products, so that both meet the same machine. Rank 0's thread.
 */
interface Baseline extends AutoCloseable {

    /** Option of the JVM that {@link Subprocess} starts. */
    String LIBRARY_ONLY = "--library-only";

    /** Multiplies once; milliseconds. */
    double multiplyMs() throws IOException, InterruptedException;

    @Override
    void close();

    /**
     * On the host in a JVM of its own, which has all cores; on a GPU here, into {@code c}.
     *
     * @param a null: memory of its own for A and C
     */
    static Baseline of(Rank rank, Inputs inputs, Dtype dtype, SharedArray a, SharedArray c) throws IOException {
        return rank.device().backend() == Backend.HOST ? new Subprocess(inputs, dtype)
                : a == null ? ownMemory(rank, inputs, dtype.type()) : onDevice(rank, inputs, a.local(), c.local());
    }

    private static Baseline ownMemory(Rank rank, Inputs inputs, ElementType type) {
        long n = inputs.n();
        Buffer a = DeviceArrays.alloc(rank, type, n * n, "the baseline's A");
        Buffer c = DeviceArrays.alloc(rank, type, n * n, "the baseline's C");
        DeviceArrays.upload(rank, inputs.a(), new Columns(0, n), a);
        Baseline product = onDevice(rank, inputs, a, c);
        return new Baseline() {

            @Override
            public double multiplyMs() throws IOException, InterruptedException {
                return product.multiplyMs();
            }

            @Override
            public void close() {
                product.close();
                a.close();
                c.close();
            }
        };
    }

    private static Baseline onDevice(Rank rank, Inputs inputs, Buffer a, Buffer c) {
        long n = inputs.n();
        Buffer b = DeviceArrays.alloc(rank, a.type(), n * n, "--baseline");
        DeviceArrays.upload(rank, inputs.b(), new Columns(0, n), b);
        return new Baseline() {

            @Override
            public double multiplyMs() {
                return DeviceArrays.multiplyMs(rank.stream(), n, n, a, b, c);
            }

            @Override
            public void close() {
                b.close();
            }
        };
    }

    /** In the JVM of a {@link Subprocess}: for each line read one product, and a line with its milliseconds. */
    static void serve(Rank rank, Inputs inputs, ElementType type, PrintStream out) throws IOException, InterruptedException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        try (Baseline library = ownMemory(rank, inputs, type)) {
            while (in.readLine() != null) {   // ends with the JVM at the other end
                out.println(library.multiplyMs());
                out.flush();
            }
        }
    }

    /**
     * OpenBLAS in a JVM of its own with one rank, which therefore has all cores, while the ranks of the job wait at a
     * barrier. It reads a line for each product wanted and ends with its standard input, so also if this JVM is killed.
     */
    final class Subprocess implements Baseline {

        /** OpenBLAS's threads spin for some 30 ms after a product before they sleep. */
        private static final long QUIET_MS = 100;
        private static final long END_SECONDS = 10;

        private final Process process;
        private final BufferedReader reader;
        private final Writer writer;

        private Subprocess(Inputs inputs, Dtype dtype) throws IOException {
            List<String> command = new ArrayList<>();
            command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
            ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                    .filter(argument -> !argument.startsWith("-Dpgas.")).forEach(command::add);
            command.addAll(List.of("-cp", System.getProperty("java.class.path"), Matmul.class.getName(), LIBRARY_ONLY,
                    "--ranks", "1", "--device", "host", "--no-verify", "--dtype", dtype.toString()));
            command.addAll(inputs.options());
            ProcessBuilder builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
            builder.environment().keySet().removeIf(variable -> variable.startsWith("PGAS_"));
            process = builder.start();
            reader = process.inputReader(StandardCharsets.US_ASCII);
            writer = process.outputWriter(StandardCharsets.US_ASCII);
        }

        @Override
        public double multiplyMs() throws IOException, InterruptedException {
            Thread.sleep(QUIET_MS);
            writer.write("multiply\n");
            writer.flush();
            String line = reader.readLine();
            if (line == null) {
                throw new PgasException("the baseline, a JVM of its own, ended with exit code " + process.waitFor());
            }
            Thread.sleep(QUIET_MS);
            return Double.parseDouble(line);
        }

        @Override
        public void close() {
            try {
                writer.close();
                reader.close();
                if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
                    throw new PgasException("the baseline, a JVM of its own, has not ended after " + END_SECONDS + " s");
                }
            } catch (IOException e) {
                throw new PgasException("the baseline, a JVM of its own: " + e.getMessage(), e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } finally {
                process.destroyForcibly();
            }
        }
    }
}
