package org.pgas4j.runtime.blocks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Parts of the device library, compiled by g++ for the host and run there. */
final class HostProgram {

    private static final String COMPILER = "/usr/bin/g++";

    private final Path program;

    private HostProgram(Path program) {
        this.program = program;
    }

    /** Compiles a file, to a program beside it; skips the test where there is no g++. */
    static HostProgram compile(Path source, String... options) throws Exception {
        assumeTrue(Files.isExecutable(Path.of(COMPILER)), "g++ is missing");
        Path program = source.resolveSibling("program");
        List<String> command = new ArrayList<>(List.of(COMPILER, "-Wall"));
        command.addAll(List.of(options));
        command.addAll(List.of("-o", program.toString(), source.toString()));
        run(0, program, command);
        return new HostProgram(program);
    }

    /** A function of the library. */
    static String function(String library, String name) {
        return part(library, "PGAS_FN [^;{]*?\\b" + name + "\\([^;{]*\\{\n.*?^}$");
    }

    /** A struct of the library. */
    static String struct(String library, String name) {
        return part(library, "struct " + name + " \\{\n.*?^};$");
    }

    private static String part(String library, String pattern) {
        Matcher found = Pattern.compile("(?ms)^" + pattern).matcher(library);
        assertTrue(found.find(), pattern);
        return found.group() + "\n";
    }

    /** Runs it; returns what it printed. */
    String run(int status, List<String> arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(program.toString()));
        command.addAll(arguments);
        return run(status, program, command);
    }

    private static String run(int status, Path program, List<String> command) throws Exception {
        Path output = Files.createTempFile(program.getParent(), "output", null);
        Process process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile()).start();
        try {
            assertTrue(process.waitFor(100, TimeUnit.SECONDS), () -> "still running: " + command);
        } finally {
            process.destroyForcibly();
        }
        String text = Files.readString(output, StandardCharsets.UTF_8);
        assertEquals(status, process.exitValue(), text);
        return text;
    }
}
