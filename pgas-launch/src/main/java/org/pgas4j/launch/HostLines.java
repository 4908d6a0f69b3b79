package org.pgas4j.launch;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/** Prints the output of a host itself, each line with its name in front, and keeps the last one. Thread-safe. */
final class HostLines extends OutputStream {

    private final String prefix;
    private volatile String last = "";

    HostLines(String host) {
        this.prefix = "[" + host + "] ";
    }

    @Override
    public void write(int value) throws IOException {
        write(new byte[] {(byte) value}, 0, 1);
    }

    /** Prints whole lines. */
    @Override
    public void write(byte[] bytes, int offset, int length) {
        new String(bytes, offset, length, StandardCharsets.UTF_8).lines().forEach(this::line);
    }

    void line(String line) {
        if (!line.isBlank()) {
            last = line.strip();
            System.err.println(prefix + line);
        }
    }

    /** Empty if there was none. */
    String last() {
        return last;
    }
}
