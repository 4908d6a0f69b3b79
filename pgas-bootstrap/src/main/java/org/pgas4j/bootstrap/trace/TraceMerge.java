package org.pgas4j.bootstrap.trace;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/** Makes one timeline of the parts of a job's JVMs. */
public final class TraceMerge {

    private TraceMerge() {
    }

    /**
     * Writes the timeline as JSON; the file is there whole or not at all.
     *
     * @param parts files of JVMs
     * @param file  to write
     * @return lines for people: what is in it, how exact its times are, and what is missing
     * @throws IOException if a part cannot be read, or the file not be written
     */
    public static List<String> write(List<Path> parts, Path file) throws IOException {
        List<TracePart> read = new ArrayList<>();
        for (Path part : parts) {
            read.add(PartFile.read(part));
        }
        Timeline timeline = new Timeline(read);
        Path absolute = file.toAbsolutePath();
        Path temporary = absolute.resolveSibling("." + absolute.getFileName() + "-" + ProcessHandle.current().pid());
        try {
            try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(temporary, StandardOpenOption.CREATE_NEW,
                    StandardOpenOption.WRITE))) {
                ChromeTrace.write(timeline, out);
            }
            Files.move(temporary, absolute, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(temporary);
        }
        return lines(timeline, file);
    }

    /** Lines for people. */
    static List<String> lines(Timeline timeline, Path file) {
        List<String> lines = new ArrayList<>();
        long errorNs = timeline.errorNs();
        lines.add("timeline of " + timeline.parts().stream().mapToInt(TracePart::process).distinct().count() + " JVMs in " + file
                + ": " + timeline.slices().size() + " events, " + timeline.flows().all().size() + " flows; "
                + (errorNs == 0 ? "one clock" : errorNs == TimeOffset.UNKNOWN_NS ? "clocks of some hosts were not compared"
                        : "times are within " + errorNs / 1_000 + "." + errorNs % 1_000 / 100 + " us of process 0's"));
        if (timeline.dropped() > 0) {
            lines.add(timeline.dropped() + " older events had no room; raise pgas.trace.events");
        }
        return lines;
    }
}
