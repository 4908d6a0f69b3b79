package org.pgas4j.device.cuda;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Compiled kernels on disk, one file each, named by a digest of everything they depend on. Files are written whole or
 * not at all, and checked when read; a damaged one is compiled again. A directory that cannot be used costs a warning
 * and the time to compile. Thread-safe, also between processes.
 */
final class KernelCache {

    private static final System.Logger LOG = System.getLogger("pgas.gpu");
    private static final String DIGEST = "SHA-256";
    private static final String SUFFIX = ".cubin";
    private static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rwx------");

    /* 0 magic:i64 | 8 digest of the payload:byte[32] | 40 payload */
    private static final long MAGIC = 0x7067_6173_346a_0001L;
    private static final int DIGEST_OFFSET = Long.BYTES;
    private static final int DIGEST_BYTES = 32;
    private static final int PAYLOAD_OFFSET = DIGEST_OFFSET + DIGEST_BYTES;

    private final Path directory; // null: nothing is kept

    KernelCache(Path directory) {
        this.directory = directory;
    }

    /** A cache that keeps nothing. */
    static KernelCache none() {
        return new KernelCache(null);
    }

    /** Path of the user's cache: {@code pgas4j/kernels} in {@code $XDG_CACHE_HOME}, or in {@code ~/.cache}. */
    static Path defaultDirectory() {
        String xdg = System.getenv("XDG_CACHE_HOME");
        Path caches = xdg != null && xdg.startsWith("/") ? Path.of(xdg)
                : Path.of(System.getProperty("user.home"), ".cache");
        return caches.resolve("pgas4j").resolve("kernels");
    }

    /** The key of source compiled with these options and headers by this compiler for this architecture. */
    static String key(String source, List<String> options, Map<String, String> headers, String compiler, String architecture) {
        MessageDigest digest = digest();
        List<String> parts = new ArrayList<>(List.of(source, String.join("\n", options), compiler, architecture));
        headers.forEach((name, text) -> parts.addAll(List.of(name, text)));
        for (String part : parts) {
            byte[] bytes = part.getBytes(StandardCharsets.UTF_8);
            // The length first, so that parts do not run together.
            digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(0, bytes.length));
            digest.update(bytes);
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    /** The kernel stored under {@code key}, or else the result of {@code compiler}, which it stores. */
    byte[] get(String key, Supplier<byte[]> compiler) {
        if (directory == null) {
            return compiler.get();
        }
        byte[] cubin = read(key);
        if (cubin == null) {
            cubin = compiler.get();
            write(key, cubin);
        }
        return cubin;
    }

    private byte[] read(String key) {
        Path file = directory.resolve(key + SUFFIX);
        try {
            if (!Files.isDirectory(directory)) {
                return null;
            }
            requireOwn();
            byte[] entry = Files.readAllBytes(file);
            byte[] cubin = payload(entry);
            if (cubin == null) {
                LOG.log(System.Logger.Level.WARNING, "kernel cache: " + file + " of " + entry.length
                        + " bytes is damaged, compiling again");
            }
            return cubin;
        } catch (NoSuchFileException e) {
            return null;
        } catch (IOException e) {
            unusable(e);
            return null;
        }
    }

    private void write(String key, byte[] cubin) {
        try {
            Files.createDirectories(directory, PosixFilePermissions.asFileAttribute(OWNER_ONLY));
            requireOwn();
            Path temporary = Files.createTempFile(directory, key, ".tmp"); // owner-only
            try {
                Files.write(temporary, entry(cubin));
                Files.move(temporary, directory.resolve(key + SUFFIX), StandardCopyOption.ATOMIC_MOVE);
            } finally {
                Files.deleteIfExists(temporary);
            }
        } catch (IOException e) {
            unusable(e);
        }
    }

    /** Refuses a directory that other users can write: its kernels could be theirs. */
    private void requireOwn() throws IOException {
        Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(directory);
        if (permissions.contains(PosixFilePermission.GROUP_WRITE)
                || permissions.contains(PosixFilePermission.OTHERS_WRITE)) {
            throw new IOException(directory + " can be written by others: " + PosixFilePermissions.toString(permissions)
                    + " (chmod 700 it)");
        }
    }

    private void unusable(IOException e) {
        LOG.log(System.Logger.Level.WARNING, "kernel cache " + directory + " cannot be used (pgas.kernel.cache): " + e);
    }

    private static byte[] entry(byte[] cubin) {
        return ByteBuffer.allocate(PAYLOAD_OFFSET + cubin.length).putLong(MAGIC).put(digest().digest(cubin)).put(cubin)
                .array();
    }

    /** The payload of an entry, or null if the entry is damaged. */
    private static byte[] payload(byte[] entry) {
        if (entry.length <= PAYLOAD_OFFSET || ByteBuffer.wrap(entry).getLong() != MAGIC) {
            return null;
        }
        byte[] cubin = Arrays.copyOfRange(entry, PAYLOAD_OFFSET, entry.length);
        byte[] stored = Arrays.copyOfRange(entry, DIGEST_OFFSET, PAYLOAD_OFFSET);
        return MessageDigest.isEqual(stored, digest().digest(cubin)) ? cubin : null;
    }

    private static MessageDigest digest() {
        try {
            return MessageDigest.getInstance(DIGEST);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has " + DIGEST, e);
        }
    }
}
