package org.pgas4j.launch.join;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import org.pgas4j.UsageException;
import org.pgas4j.bootstrap.JobSecret;
import org.pgas4j.launch.files.PrivateDirectory;

/** File with bytes that only the JVMs of a job can read, for example a mounted secret of Kubernetes. */
final class SecretFile {

    private static final int MAX_BYTES = 64 << 10;
    private static final int MIN_BYTES = 32;

    private static final Set<PosixFilePermission> OTHERS = EnumSet.of(PosixFilePermission.GROUP_READ,
            PosixFilePermission.GROUP_WRITE, PosixFilePermission.OTHERS_READ, PosixFilePermission.OTHERS_WRITE);

    private SecretFile() {
    }

    /**
     * The secret of job {@code job}. Links are followed, as mounted secrets are links; their target must be the
     * owner's alone, or on a mount that is read-only.
     *
     * @throws UsageException if it cannot be read, is too short or is open to others; without its content
     */
    static JobSecret read(String name, String job) {
        String expected = " (expected: a file of " + MIN_BYTES + " bytes or more that its owner alone can read)";
        try {
            Path file = Path.of(name).toRealPath();
            PosixFileAttributes attributes = Files.readAttributes(file, PosixFileAttributes.class);
            if (!attributes.isRegularFile() || attributes.size() > MAX_BYTES) {
                throw new UsageException("pgas.secret.file=" + name + " is " + (attributes.isRegularFile()
                        ? attributes.size() + " bytes" : "no file") + expected);
            }
            if (!Files.getFileStore(file).isReadOnly()) {
                requireOwnersOnly(name, file, attributes);
            }
            byte[] bytes = Files.readAllBytes(file);
            int length = bytes.length;
            while (length > 0 && (bytes[length - 1] == '\n' || bytes[length - 1] == '\r')) {
                length--; // the same secret, whether its file ends with a line end or not
            }
            if (length < MIN_BYTES) {
                throw new UsageException("pgas.secret.file=" + name + " has " + length + " bytes" + expected
                        + "; head -c 32 /dev/urandom makes one");
            }
            return JobSecret.derive(Arrays.copyOf(bytes, length), job);
        } catch (NoSuchFileException e) {
            throw new UsageException("pgas.secret.file=" + name + " is not there" + expected, e);
        } catch (IOException e) {
            throw new UsageException("pgas.secret.file=" + name + " cannot be read: " + e + expected, e);
        }
    }

    private static void requireOwnersOnly(String name, Path file, PosixFileAttributes attributes) throws IOException {
        int owner = (int) Files.getAttribute(file, "unix:uid");
        if (owner != PrivateDirectory.uid() && owner != 0) {
            throw new UsageException("pgas.secret.file=" + name + " belongs to user " + owner + ", not to "
                    + PrivateDirectory.uid());
        }
        if (attributes.permissions().stream().anyMatch(OTHERS::contains)) {
            throw new UsageException("pgas.secret.file=" + name + " is open to others: "
                    + PosixFilePermissions.toString(attributes.permissions()) + " (expected: rw-------, or a read-only"
                    + " mount); chmod 600 " + name);
        }
    }
}
