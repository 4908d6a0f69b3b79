package org.pgas4j.launch.files;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.pgas4j.UsageException;
import org.pgas4j.bootstrap.node.NodeIdentity;

/** Directories that no other user can read, write or create first. No symbolic link is followed. */
public final class PrivateDirectory {

    private static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rwx------");

    private PrivateDirectory() {
    }

    /** This user's number. */
    public static int uid() throws IOException {
        return NodeIdentity.user();
    }

    /**
     * Makes the directory, mode 0700, or uses the existing one.
     *
     * @throws UsageException if the path is a link, a file, another user's or open to others
     */
    public static Path ensure(Path directory, String setting) throws IOException {
        try {
            return create(directory);
        } catch (FileAlreadyExistsException _) {
            return check(directory, setting);
        }
    }

    /** Makes the directory, mode 0700; there must be none. */
    public static Path create(Path directory) throws IOException {
        return Files.createDirectory(directory, PosixFilePermissions.asFileAttribute(OWNER_ONLY));
    }

    public static Path check(Path directory, String setting) throws IOException {
        PosixFileAttributes attributes = Files.readAttributes(directory, PosixFileAttributes.class,
                LinkOption.NOFOLLOW_LINKS);
        int owner = (int) Files.getAttribute(directory, "unix:uid", LinkOption.NOFOLLOW_LINKS);
        String fix = "; remove it or choose another place with " + setting;
        if (!attributes.isDirectory()) {
            throw new UsageException(directory + " is no directory (links are not followed)" + fix);
        }
        if (owner != uid()) {
            throw new UsageException(directory + " belongs to user " + owner + ", not to " + uid() + fix);
        }
        if (!OWNER_ONLY.containsAll(attributes.permissions())) {
            throw new UsageException(directory + " is open to others: "
                    + PosixFilePermissions.toString(attributes.permissions()) + " (expected: rwx------)" + fix);
        }
        return directory;
    }

    /** Deletes a tree; links are deleted, not followed. Files that vanish meanwhile are ignored. */
    public static void delete(Path tree) throws IOException {
        try {
            if (Files.isDirectory(tree, LinkOption.NOFOLLOW_LINKS)) {
                try (DirectoryStream<Path> children = Files.newDirectoryStream(tree)) {
                    for (Path child : children) {
                        delete(child);
                    }
                }
            }
            Files.deleteIfExists(tree);
        } catch (NoSuchFileException _) {
            assert !Files.exists(tree); // another process removed it
        }
    }
}
