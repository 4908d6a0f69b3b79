package org.pgas4j.examples.matmul;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.pgas4j.PgasException;

/**
 * Measures OpenBLAS alone: a JVM of its own with one rank, which therefore has all cores, while the ranks of the job
 * wait at a barrier.
 */
final class BaselineProcess {

    static final String OPTION = "--library-only";

    private BaselineProcess() {
    }

    /** Rate in 10^9 operations a second. */
    static double measure(MatmulOptions options) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(command(options)).redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment().keySet().removeIf(variable -> variable.startsWith("PGAS_"));
        Process process = builder.start();
        try (BufferedReader reader = new BufferedReader(
                new InputStreamReader(process.getInputStream(), StandardCharsets.US_ASCII))) {
            String line = reader.readLine();
            int code = process.waitFor();
            if (code != 0 || line == null) {
                throw new PgasException("the baseline, a JVM of its own, ended with exit code " + code);
            }
            return Double.parseDouble(line);
        } finally {
            process.destroyForcibly();
        }
    }

    /** This JVM's own options, class path and matrices; one rank. */
    private static List<String> command(MatmulOptions options) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(argument -> !argument.startsWith("-Dpgas.")).forEach(command::add);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Matmul.class.getName(), OPTION,
                "--ranks", "1", "--device", "host", "--no-verify", "--dtype", options.dtype().toString(),
                "--iterations", Integer.toString(options.iterations())));
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

    /** In the JVM of the baseline: it ends when the one that started it does, which holds its standard input open. */
    static void endWithParent() {
        Thread.ofPlatform().daemon().name("lifeline").start(() -> {
            try {
                System.in.transferTo(OutputStream.nullOutputStream());   // until its end
            } catch (IOException e) {
                System.getLogger(BaselineProcess.class.getName()).log(System.Logger.Level.DEBUG, "standard input", e);
            }
            Runtime.getRuntime().halt(1);
        });
    }
}
