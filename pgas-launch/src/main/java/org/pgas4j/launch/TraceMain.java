package org.pgas4j.launch;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.pgas4j.bootstrap.trace.TraceMerge;

/** Main class of the JVM that makes one timeline of the parts of a job. */
public final class TraceMain {

    private TraceMain() {
    }

    /** @param args the file to write, then the parts */
    public static void main(String[] args) {
        Path file = Path.of(args[0]);
        List<Path> parts = Arrays.stream(args).skip(1).map(Path::of).toList();
        try {
            TraceMerge.write(parts, file).forEach(line -> System.err.println("pgas4j: " + line));
        } catch (IOException e) {
            System.err.println("pgas4j: cannot write " + file + ": " + e);
            System.exit(1);
        }
    }
}
