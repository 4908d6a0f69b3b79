package org.pgas4j.launch;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.UUID;
import org.pgas4j.bootstrap.watch.StatusBoard;

/**
 * Status board of the ranks of a node, made by the process that starts their JVMs, so that it can be read when they are
 * dead. The file is unlinked once it is open, so that nothing remains, whichever process is killed.
 */
final class BoardFile implements AutoCloseable {

    private static final Path MEMORY = Path.of("/dev/shm");

    private final FileChannel channel;
    private final StatusBoard board;
    private final Path path;

    private BoardFile(FileChannel channel, StatusBoard board, Path path) {
        this.channel = channel;
        this.board = board;
        this.path = path;
    }

    /** @param temporary directory for it if there is no memory file system */
    static BoardFile create(Path temporary, int firstRank, int endRank) throws IOException {
        String name = "pgas-board-" + UUID.randomUUID();
        Path file = (Files.isWritable(MEMORY) ? MEMORY : temporary).resolve(name);
        // Java implements delete on close by unlinking at once
        FileChannel channel = FileChannel.open(file, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.READ,
                StandardOpenOption.WRITE, StandardOpenOption.DELETE_ON_CLOSE),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        boolean success = false;
        try {
            channel.write(ByteBuffer.allocate(1), StatusBoard.bytes(firstRank, endRank) - 1);
            BoardFile made = new BoardFile(channel, StatusBoard.map(channel, firstRank, endRank), find(name));
            success = true;
            return made;
        } finally {
            if (!success) {
                channel.close();
            }
        }
    }

    private static Path find(String name) throws IOException {
        Path own = Path.of("/proc/" + ProcessHandle.current().pid() + "/fd");
        try (DirectoryStream<Path> descriptors = Files.newDirectoryStream(own)) {
            for (Path descriptor : descriptors) {
                if (leadsTo(descriptor, name)) {
                    return descriptor;
                }
            }
        }
        throw new IOException("no descriptor of " + name + " in " + own);
    }

    private static boolean leadsTo(Path descriptor, String name) throws IOException {
        try {
            return Files.readSymbolicLink(descriptor).toString().contains(name);
        } catch (NoSuchFileException _) {
            return false; // another thread has closed it meanwhile
        }
    }

    /** Path by which the JVMs open it, while this process has it open. */
    Path path() {
        return path;
    }

    StatusBoard board() {
        return board;
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
