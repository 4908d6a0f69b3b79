package org.pgas4j.runtime.blocks;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.pgas4j.GridProgram;
import org.pgas4j.Kernel;

/** The device library as text, and programs with it put in. Thread-safe. */
final class DeviceLibrary {

    private static final String FILE = "pgas_device.cuh";
    private static final Pattern INCLUDE = Pattern.compile("^\\s*#\\s*include\\s*[<\"]" + Pattern.quote(FILE) + "[>\"][^\\n]*$",
            Pattern.MULTILINE);
    private static final String TEXT = read();
    private static final Map<GridProgram, Kernel> KERNELS = new WeakHashMap<>();

    private DeviceLibrary() {
    }

    private static String read() {
        try (InputStream in = DeviceLibrary.class.getResourceAsStream(FILE)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(FILE, e);
        }
    }

    /** The program as a kernel; lines of compilers' messages are those of its own source. */
    static synchronized Kernel kernel(GridProgram program) {
        return KERNELS.computeIfAbsent(program, p -> new Kernel(p.name(), p.cuda() == null ? null : expand(p),
                p.cuda() == null ? (_, _) -> {
                } : null));
    }

    private static String expand(GridProgram program) {
        Matcher include = INCLUDE.matcher(program.cuda());
        if (!include.find()) {
            throw new IllegalArgumentException("block program " + program.name() + ": its CUDA source does not #include <" + FILE
                    + ">");
        }
        String before = program.cuda().substring(0, include.start());
        long line = before.lines().count() + 1;
        return before + "#line 1 \"" + FILE + "\"\n" + TEXT + "\n#line " + (line + 1) + " \"" + program.name() + ".cu\""
                + program.cuda().substring(include.end());
    }
}
