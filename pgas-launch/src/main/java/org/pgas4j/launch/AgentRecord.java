package org.pgas4j.launch;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.pgas4j.UsageException;
import org.pgas4j.bootstrap.JobSecret;
import org.pgas4j.bootstrap.ProcessLayout;

/**
 * Record that the launcher sends a node's agent through its standard input: a magic number, then texts and numbers,
 * big-endian, a text as {@code length:i32 | UTF-8}.
 *
 * @param job       id of the job
 * @param secret    of the job
 * @param addresses of the launcher; the first one that answers is taken
 * @param port      of the launcher's coordinator
 * @param tls       true if it uses TLS
 * @param share     the JVMs of the node
 * @param directory of the job on the node; null if the agent has to make one
 * @param options   of the JVMs; the class path is the node's
 */
record AgentRecord(String job, JobSecret secret, List<String> addresses, int port, boolean tls, NodeShare share,
                   Path directory, JobOptions options) {

    private static final long MAGIC = 0x5047_4153_344A_0001L;
    private static final int MAX_TEXT = 16 << 20;
    private static final int MAX_COUNT = 1 << 20;

    byte[] encode() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeLong(MAGIC);
            text(out, job);
            text(out, secret.toHex());
            texts(out, addresses);
            out.writeInt(port);
            out.writeBoolean(tls);
            out.writeInt(share.node());
            text(out, share.host());
            out.writeInt(share.first());
            out.writeInt(share.end());
            out.writeInt(share.layout().processes());
            out.writeInt(share.layout().ranks());
            path(out, directory);
            map(out, options.settings());
            map(out, options.environment());
            texts(out, options.javaOptions());
            text(out, options.classPath());
            text(out, options.mainClass());
            texts(out, options.arguments());
            path(out, options.directory());
            out.writeBoolean(options.tagsLines());
            out.writeLong(options.grace().toMillis());
            out.writeBoolean(options.verbose());
        } catch (IOException e) {
            throw new IllegalStateException("a byte array takes all", e);
        }
        return bytes.toByteArray();
    }

    /**
     * Reads the record and nothing after it.
     *
     * @throws UsageException if something else is there
     */
    static AgentRecord read(DataInputStream in) throws IOException {
        if (in.readLong() != MAGIC) {
            throw new UsageException("no job on standard input: AgentMain is started by pgasrun only, and both must"
                    + " run the same pgas4j");
        }
        try {
            String job = text(in);
            JobSecret secret = JobSecret.ofHex(text(in));
            List<String> addresses = texts(in);
            int port = in.readInt();
            boolean tls = in.readBoolean();
            int node = in.readInt();
            String host = text(in);
            int first = in.readInt();
            int end = in.readInt();
            ProcessLayout layout = new ProcessLayout(in.readInt(), in.readInt());
            if (first < 0 || end <= first || end > layout.processes()) {
                throw new UsageException("JVMs " + first + ".." + end + " of " + layout.processes());
            }
            Path directory = path(in);
            Map<String, String> settings = map(in);
            Map<String, String> environment = map(in);
            List<String> javaOptions = texts(in);
            String classPath = text(in);
            String mainClass = text(in);
            List<String> arguments = texts(in);
            JobOptions options = new JobOptions(layout, settings, environment, javaOptions, classPath, mainClass,
                    arguments, path(in), in.readBoolean(), null, null, Duration.ofMillis(in.readLong()),
                    in.readBoolean());
            return new AgentRecord(job, secret, addresses, port, tls, new NodeShare(node, host, first, end, layout),
                    directory, options);
        } catch (IllegalArgumentException e) {
            throw new UsageException("the job on standard input is malformed: " + e.getMessage(), e);
        }
    }

    private static void text(DataOutputStream out, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        out.writeInt(bytes.length);
        out.write(bytes);
    }

    private static void texts(DataOutputStream out, List<String> texts) throws IOException {
        out.writeInt(texts.size());
        for (String text : texts) {
            text(out, text);
        }
    }

    private static void map(DataOutputStream out, Map<String, String> map) throws IOException {
        texts(out, List.copyOf(map.keySet()));
        for (String key : List.copyOf(map.keySet())) {
            text(out, map.get(key));
        }
    }

    private static void path(DataOutputStream out, Path path) throws IOException {
        text(out, path == null ? "" : path.toString());
    }

    static String text(DataInputStream in) throws IOException {
        byte[] bytes = new byte[length(in.readInt(), MAX_TEXT)];
        in.readFully(bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private static List<String> texts(DataInputStream in) throws IOException {
        List<String> texts = new ArrayList<>();
        for (int left = length(in.readInt(), MAX_COUNT); left > 0; left--) {
            texts.add(text(in));
        }
        return texts;
    }

    private static Map<String, String> map(DataInputStream in) throws IOException {
        Map<String, String> map = new LinkedHashMap<>();
        for (String key : texts(in)) {
            map.put(key, text(in));
        }
        return map;
    }

    private static Path path(DataInputStream in) throws IOException {
        String text = text(in);
        return text.isEmpty() ? null : Path.of(text);
    }

    private static int length(int length, int max) {
        if (length < 0 || length > max) {
            throw new UsageException("a length of " + length + " (expected: 0.." + max + ")");
        }
        return length;
    }
}
