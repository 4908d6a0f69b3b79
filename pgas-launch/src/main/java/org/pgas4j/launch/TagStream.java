package org.pgas4j.launch;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.pgas4j.bootstrap.watch.RankTag;

/**
 * Collects lines by the rank that writes them and passes on whole lines with {@code [rank] } in front, {@code [p1] }
 * without a rank. Thread-safe.
 */
final class TagStream extends OutputStream {

    static final int MAX_LINE = 64 << 10;
    /** Bytes of a tag that are not the number: brackets and blank. */
    static final int AROUND_RANK = 3;

    private final OutputStream to;
    private final String processTag;
    private final Map<String, ByteArrayOutputStream> unfinished = new HashMap<>();

    TagStream(OutputStream to, int process) {
        this.to = to;
        this.processTag = "[p" + process + "] ";
    }

    /** A stream for {@link System#out} or {@link System#err}. */
    PrintStream asPrintStream() {
        return new PrintStream(this, false, StandardCharsets.UTF_8);
    }

    @Override
    public void write(int value) throws IOException {
        write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public synchronized void write(byte[] bytes, int offset, int length) throws IOException {
        Integer rank = RankTag.current();
        String tag = rank == null ? processTag : "[" + rank + "] ";
        ByteArrayOutputStream line = unfinished.computeIfAbsent(tag, _ -> new ByteArrayOutputStream(128));
        int start = offset;
        for (int i = offset; i < offset + length; i++) {
            if (bytes[i] == '\n') {
                line.write(bytes, start, i + 1 - start);
                start = i + 1;
                emit(tag, line);
            }
        }
        line.write(bytes, start, offset + length - start);
        if (line.size() >= MAX_LINE) {
            line.write('\n');
            emit(tag, line);
        }
    }

    /** Bytes of the tag in front of a line, 0 if it has none. */
    static int tagLength(byte[] bytes, int offset, int length) {
        if (length <= AROUND_RANK || bytes[offset] != '[') {
            return 0;
        }
        int at = 1 + (bytes[offset + 1] == 'p' ? 1 : 0);
        int digits = at;
        while (at < length && bytes[offset + at] >= '0' && bytes[offset + at] <= '9') {
            at++;
        }
        boolean ends = at > digits && at + 1 < length && bytes[offset + at] == ']' && bytes[offset + at + 1] == ' ';
        return ends ? at + 2 : 0;
    }

    private void emit(String tag, ByteArrayOutputStream line) throws IOException {
        byte[] prefix = tag.getBytes(StandardCharsets.US_ASCII);
        byte[] whole = new byte[prefix.length + line.size()];
        System.arraycopy(prefix, 0, whole, 0, prefix.length);
        System.arraycopy(line.toByteArray(), 0, whole, prefix.length, line.size());
        line.reset();
        to.write(whole); // one write, so that lines of several processes do not mix
    }

    /** Ends unfinished lines; at the end of the process. */
    synchronized void finish() throws IOException {
        for (Map.Entry<String, ByteArrayOutputStream> entry : unfinished.entrySet()) {
            if (entry.getValue().size() > 0) {
                entry.getValue().write('\n');
                emit(entry.getKey(), entry.getValue());
            }
        }
    }
}
