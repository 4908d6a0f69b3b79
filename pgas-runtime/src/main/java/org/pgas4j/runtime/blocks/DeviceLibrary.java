package org.pgas4j.runtime.blocks;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.pgas4j.GridProgram;
import org.pgas4j.Kernel;
import org.pgas4j.device.AtomicWords;

/**
 * The device library as one text, and programs with it put in: the file that programs include, the constants of the
 * layout classes, then the other files. Compilers' messages name the file and its line. Thread-safe.
 */
final class DeviceLibrary {

    private static final String FILE = "pgas_device.cuh";
    private static final String PROGRAM = "program.cu"; // of all, so that equal sources are equal code
    /** Internals, each after those it uses. */
    static final List<String> INTERNALS = List.of("pgas_memory.cuh", "pgas_context.cuh", "pgas_packets.cuh",
            "pgas_channel.cuh", "pgas_unpack.cuh", "pgas_mailbox.cuh", "pgas_endpoint.cuh", "pgas_send.cuh",
            "pgas_packet_put.cuh", "pgas_put.cuh", "pgas_atomics.cuh", "pgas_await.cuh", "pgas_wait.cuh", "pgas_barrier.cuh",
            "pgas_get.cuh", "pgas_value.cuh", "pgas_tags.cuh", "pgas_sources.cuh", "pgas_requests.cuh", "pgas_split.cuh",
            "pgas_split_packets.cuh", "pgas_launch.cuh");
    private static final Pattern INCLUDE = Pattern.compile("^\\s*#\\s*include\\s*[<\"]" + Pattern.quote(FILE)
            + "[>\"][^\\n]*$", Pattern.MULTILINE);
    private static final String TEXT = assemble(false);
    private static final String TEXT_WITH_PACKETS = assemble(true);
    private static final Map<Form, Map<GridProgram, Kernel>> KERNELS = new HashMap<>();

    private DeviceLibrary() {
    }

    private static String assemble(boolean packets) {
        StringBuilder text = new StringBuilder("#define PGAS_WITH_PACKETS ").append(packets ? 1 : 0).append('\n');
        append(text, FILE, read(FILE));
        append(text, "constants of DeviceConstants.java", DeviceConstants.text());
        append(text, "pgas_atomic.cuh", AtomicWords.CUDA);
        INTERNALS.forEach(file -> append(text, file, read(file)));
        return text.toString();
    }

    private static void append(StringBuilder text, String file, String content) {
        text.append("#line 1 \"").append(file).append("\"\n").append(content);
    }

    /** Text of a resource of this package. */
    static String read(String file) {
        try (InputStream in = DeviceLibrary.class.getResourceAsStream(file)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(file, e);
        }
    }

    /**
     * The whole library.
     *
     * @param packets whether notified puts may travel as packets; code that never does takes fewer registers
     */
    static String text(boolean packets) {
        return packets ? TEXT_WITH_PACKETS : TEXT;
    }

    /**
     * How a program is compiled.
     *
     * @param packets      whether its notified puts may travel as packets
     * @param maxRegisters of a thread; 0 if as many as there are. Bounds that the program sets itself come before it
     */
    record Form(boolean packets, int maxRegisters) {

        static final Form PLAIN = new Form(false, 0);

        private List<String> options() {
            return maxRegisters == 0 ? List.of() : List.of("--maxrregcount=" + maxRegisters, "-DPGAS_FEW_REGISTERS");
        }
    }

    /** The program as a kernel; lines of compilers' messages are those of its own source. Programs of one source are compiled once. */
    static synchronized Kernel kernel(GridProgram program, Form form) {
        return KERNELS.computeIfAbsent(form, _ -> new WeakHashMap<>()).computeIfAbsent(program, p -> p.code() == null
                ? new Kernel(p.name(), null, (_, _) -> { })
                : new Kernel(p.name(), (Kernel.Body) null, p.code().withSource(expand(p, form.packets)).withOptions(form.options())));
    }

    private static String expand(GridProgram program, boolean packets) {
        if (program.cuda() == null) {
            throw new IllegalArgumentException("block program " + program.name() + " is given as " + program.code().form()
                    + " (expected: CUDA C++ source, which is compiled together with <" + FILE + ">)");
        }
        Matcher include = INCLUDE.matcher(program.cuda());
        if (!include.find()) {
            throw new IllegalArgumentException("block program " + program.name()
                    + ": its CUDA source does not #include <" + FILE + ">");
        }
        String before = program.cuda().substring(0, include.start());
        long line = before.lines().count() + 1;
        return before + text(packets) + "\n#line " + (line + 1) + " \"" + PROGRAM + "\"" + program.cuda().substring(include.end());
    }
}
