package org.pgas4j.examples.matmul;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.pgas4j.PgasException;

/**
 * OpenBLAS in a JVM of its own with one rank, which therefore has all cores, while the ranks of the job wait at a
 * barrier. It reads a line for each product wanted and ends with its standard input, so also if this JVM is killed.
 */
final class LibraryProcess implements Baseline {

    static final String OPTION = "--library-only";

    /** OpenBLAS's threads spin for some 30 ms after a product before they sleep. */
    private static final long QUIET_MS = 100;
    private static final long END_SECONDS = 10;

    private final Process process;
    private final BufferedReader reader;
    private final Writer writer;

    LibraryProcess(MatmulOptions options) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command(options)).redirectError(ProcessBuilder.Redirect.INHERIT);
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

    /** This JVM's own options, class path and matrices; one rank. */
    private static List<String> command(MatmulOptions options) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(argument -> !argument.startsWith("-Dpgas.")).forEach(command::add);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Matmul.class.getName(), OPTION,
                "--ranks", "1", "--device", "host", "--no-verify", "--dtype", options.dtype().toString()));
        if (options.n() != null) {
            command.addAll(List.of("--n", options.n().toString(), "--seed", Integer.toString(options.seed())));
        }
        if (options.a() != null) {
            command.addAll(List.of("--a", options.a().toString()));
        }
        if (options.b() != null) {
            command.addAll(List.of("--b", options.b().toString()));
        }
        return command;
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
