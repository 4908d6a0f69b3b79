package org.pgas4j.launch.join;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import org.pgas4j.UsageException;
import org.pgas4j.bootstrap.JobSecret;
import org.pgas4j.bootstrap.Place;
import org.pgas4j.launch.files.PrivateDirectory;
import org.pgas4j.launch.files.ProcessIdentity;

/**
 * File with the address of process 0 for the other JVMs of its job: one file of mode 0600 in a directory of mode 0700
 * that all nodes see, there from when process 0 listens until all have joined. It names the process that wrote it, so
 * that a file of a killed job is recognised.
 *
 * @param job       name of the job
 * @param start     random number of this start of the job
 * @param host      name of the host of process 0
 * @param owner     process 0
 * @param addresses of process 0, best first
 * @param port      at each of them
 * @param tls       true if it uses TLS
 * @param secret    of the job
 */
record MeetingFile(String job, String start, String host, ProcessIdentity owner, List<String> addresses, int port,
                   boolean tls, JobSecret secret) {

    private static final String MAGIC = "PGAS4J-JOIN-1";
    private static final int FIELDS = 9;
    private static final int MAX_BYTES = 8192;
    private static final int START_BYTES = 8;
    private static final Duration KEPT = Duration.ofDays(2);
    private static final String TEMPORARY = ".new-";

    static MeetingFile create(String job, List<String> addresses, int port, boolean tls, JobSecret secret)
            throws IOException {
        byte[] start = new byte[START_BYTES];
        new java.security.SecureRandom().nextBytes(start);
        return new MeetingFile(job, HexFormat.of().formatHex(start), Place.hostName(), ProcessIdentity.current(),
                addresses, port, tls, secret);
    }

    /**
     * The directory of these files, made if missing.
     *
     * @param setting value of {@code pgas.join.dir}
     * @throws UsageException if it is not this user's alone
     */
    static Path directory(String setting) {
        Path directory = setting.equals("auto") ? Path.of(System.getProperty("user.home"), ".pgas", "jobs")
                : Path.of(setting);
        try {
            Path parent = directory.toAbsolutePath().getParent();
            if (setting.equals("auto")) {
                Files.createDirectories(parent, PosixFilePermissions.asFileAttribute(
                        PosixFilePermissions.fromString("rwx------")));
            }
            return PrivateDirectory.ensure(directory, "pgas.join.dir");
        } catch (IOException e) {
            throw new UsageException("cannot make " + directory + ": " + e + "; set pgas.join.dir to a directory of yours"
                    + " that all nodes see, or pgas.secret.file and pgas.coord where there is none", e);
        }
    }

    /** Writes it under its job's name; replaces one of an earlier start atomically. */
    void publish(Path directory) throws IOException {
        Path temporary = directory.resolve(TEMPORARY + start);
        Set<OpenOption> create = Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
        try (SeekableByteChannel file = Files.newByteChannel(temporary, create, PosixFilePermissions.asFileAttribute(
                PosixFilePermissions.fromString("rw-------")))) {
            ByteBuffer bytes = ByteBuffer.wrap(encode());
            while (bytes.hasRemaining()) {
                file.write(bytes);
            }
        }
        Files.move(temporary, directory.resolve(job), StandardCopyOption.ATOMIC_MOVE);
    }

    /** Removes it if it is still this start's. */
    void remove(Path directory) throws IOException {
        MeetingFile there = read(directory, job);
        if (there != null && there.start.equals(start)) {
            Files.deleteIfExists(directory.resolve(job));
        }
    }

    /**
     * Reads the file of process 0 of {@code job}; null without.
     *
     * @throws UsageException if it is open to others or another user's, or is no such file
     */
    static MeetingFile read(Path directory, String job) throws IOException {
        Path path = directory.resolve(job);
        byte[] bytes;
        try (SeekableByteChannel file = Files.newByteChannel(path, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)) {
            if (file.size() > MAX_BYTES) {
                throw new UsageException(path + " has " + file.size() + " bytes and is no meeting point; remove it");
            }
            PosixFileAttributes attributes = Files.readAttributes(path, PosixFileAttributes.class,
                    LinkOption.NOFOLLOW_LINKS);
            int owner = (int) Files.getAttribute(path, "unix:uid", LinkOption.NOFOLLOW_LINKS);
            if (owner != PrivateDirectory.uid()
                    || !PosixFilePermissions.toString(attributes.permissions()).equals("rw-------")) {
                throw new UsageException(path + " belongs to user " + owner + " and is "
                        + PosixFilePermissions.toString(attributes.permissions()) + " (expected: user "
                        + PrivateDirectory.uid() + ", rw-------); remove it");
            }
            ByteBuffer buffer = ByteBuffer.allocate((int) file.size());
            while (buffer.hasRemaining() && file.read(buffer) >= 0) {
                Thread.onSpinWait();
            }
            bytes = java.util.Arrays.copyOf(buffer.array(), buffer.position());
        } catch (NoSuchFileException _) {
            return null;
        }
        return decode(path, new String(bytes, StandardCharsets.UTF_8));
    }

    /** Removes files that killed jobs have left: of this host if the process is dead, of others by age. */
    static void sweep(Path directory) throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
            for (Path path : files) {
                try {
                    String name = path.getFileName().toString();
                    boolean old = Files.getLastModifiedTime(path, LinkOption.NOFOLLOW_LINKS).toInstant()
                            .isBefore(Instant.now().minus(KEPT));
                    if (old || !name.startsWith(TEMPORARY) && isAbandoned(read(directory, name))) {
                        Files.deleteIfExists(path);
                    }
                } catch (IOException | UsageException e) {
                    System.getLogger("pgas.boot").log(System.Logger.Level.DEBUG, () -> path + " is left as it is", e);
                }
            }
        }
    }

    private static boolean isAbandoned(MeetingFile file) throws IOException {
        return file != null && file.isAbandoned();
    }

    /** True if the process that wrote it is certainly dead: known on its own host only. */
    boolean isAbandoned() throws IOException {
        return host.equals(Place.hostName()) && owner.isDead();
    }

    private byte[] encode() {
        return (String.join("\t", MAGIC, job, start, host, owner.encode().strip(), String.join(",", addresses),
                Integer.toString(port), Boolean.toString(tls), secret.toHex()) + "\n").getBytes(StandardCharsets.UTF_8);
    }

    private static MeetingFile decode(Path path, String text) {
        String[] fields = text.strip().split("\t", -1);
        if (fields.length != FIELDS || !fields[0].equals(MAGIC)) {
            throw new UsageException(path + " has " + fields.length + " fields and is no meeting point of this pgas4j;"
                    + " remove it");
        }
        try {
            return new MeetingFile(fields[1], fields[2], fields[3], ProcessIdentity.decode(fields[4]),
                    List.of(fields[5].split(",")), Integer.parseInt(fields[6]), Boolean.parseBoolean(fields[7]),
                    JobSecret.ofHex(fields[8]));
        } catch (IllegalArgumentException e) {
            throw new UsageException(path + " is malformed: " + e.getMessage() + "; remove it", e);
        }
    }

    @Override
    public String toString() {
        return "MeetingFile[" + job + " of " + host + ", " + addresses + " port " + port + "]";
    }
}
