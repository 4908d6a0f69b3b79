package org.pgas4j.launch;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.pgas4j.UsageException;

/**
 * The launcher's standard output and error, and with {@code --output} a file for each rank beside them:
 * {@code rank-3.out}, {@code rank-3.err}, and {@code jvm-1.out} for lines that no rank wrote. JVMs tag their lines; the
 * tag names the file. Thread-safe.
 */
final class Terminal implements JvmOutput, AutoCloseable {

    private static final OutputStream ERR = new FileOutputStream(FileDescriptor.err);

    private final StandardOutput out = new StandardOutput(this::failed);
    private final boolean tag;
    private final Path directory;
    private final Map<String, OutputStream> files = new HashMap<>();
    private boolean complained;
    private volatile Consumer<StandardOutput.Failure> onFailure = _ -> { };

    /**
     * @param tag       true if the lines on the terminal carry their rank
     * @param directory of the files; null for none
     * @throws UsageException if it cannot be made
     */
    Terminal(boolean tag, Path directory) {
        this.tag = tag;
        this.directory = directory;
        if (directory != null) {
            try {
                Files.createDirectories(directory);
            } catch (IOException e) {
                throw new UsageException("--output " + directory + ": cannot be made: " + e, e);
            }
        }
    }

    /** @param listener receives the first failure to write to standard output, on any thread */
    void onFailure(Consumer<StandardOutput.Failure> listener) {
        onFailure = listener;
        if (failure() != null) {
            listener.accept(failure());
        }
    }

    /** The first failure to write the ranks' output; null without. */
    StandardOutput.Failure failure() {
        return out.failure();
    }

    private void failed(StandardOutput.Failure failure) {
        onFailure.accept(failure);
    }

    @Override
    public boolean inherited() {
        return !tag && directory == null;
    }

    @Override
    public OutputStream of(int process, boolean error) {
        OutputStream to = error ? ERR : out;
        return new OutputStream() {
            @Override
            public void write(int value) throws IOException {
                write(new byte[] {(byte) value}, 0, 1);
            }

            @Override
            public void write(byte[] bytes, int offset, int length) throws IOException {
                synchronized (to) {
                    if (directory == null) {
                        to.write(bytes, offset, length);
                    } else {
                        split(to, process, error, bytes, offset, length);
                    }
                }
            }
        };
    }

    private void split(OutputStream to, int process, boolean error, byte[] bytes, int offset, int length)
            throws IOException {
        int start = offset;
        for (int i = offset; i < offset + length; i++) {
            if (bytes[i] == '\n' || i == offset + length - 1) {
                line(to, process, error, bytes, start, i + 1 - start);
                start = i + 1;
            }
        }
    }

    private void line(OutputStream to, int process, boolean error, byte[] bytes, int offset, int length)
            throws IOException {
        int tagged = TagStream.tagLength(bytes, offset, length);
        boolean ofRank = tagged > 0 && bytes[offset + 1] != 'p';
        String source = ofRank ? "rank-" + new String(bytes, offset + 1, tagged - TagStream.AROUND_RANK,
                StandardCharsets.US_ASCII) : "jvm-" + process;
        try {
            file(source + (error ? ".err" : ".out")).write(bytes, offset + tagged, length - tagged);
        } catch (IOException e) {
            complain(e);
        }
        int skipped = tag ? 0 : tagged;
        to.write(bytes, offset + skipped, length - skipped);
    }

    private synchronized OutputStream file(String name) throws IOException {
        OutputStream file = files.get(name);
        if (file == null) {
            file = new FileOutputStream(directory.resolve(name).toFile());
            files.put(name, file);
        }
        return file;
    }

    /** Reports once: the job does not end for that, and the terminal has the lines. */
    private synchronized void complain(IOException failure) {
        if (!complained) {
            complained = true;
            System.err.println("pgas4j: --output " + directory + " is incomplete: " + failure.getMessage());
        }
    }

    @Override
    public synchronized void close() throws IOException {
        for (OutputStream file : files.values()) {
            file.close();
        }
        files.clear();
    }
}
