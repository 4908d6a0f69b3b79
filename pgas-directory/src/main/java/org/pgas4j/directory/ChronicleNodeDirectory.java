package org.pgas4j.directory;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import net.openhft.chronicle.core.OS;
import net.openhft.chronicle.core.io.BackgroundResourceReleaser;
import net.openhft.chronicle.map.ChronicleMap;
import net.openhft.chronicle.map.ChronicleMapBuilder;
import org.pgas4j.MemoryKind;
import org.pgas4j.bootstrap.node.NodeDirectory;
import org.pgas4j.bootstrap.node.SegmentEntry;

/**
 * The directory in a Chronicle Map in the job's directory. The map's locks live in its file: a JVM that is killed while
 * it holds one leaves it locked, and the next access would take a minute. So every access runs on a thread of its own
 * with a deadline, and after the first that misses it, or fails, this JVM does without the map. Opening loads many classes
 * and happens aside, later than short jobs last; until then answers are empty and entries are kept for later. A JVM does not
 * end while its first one opens: some of Chronicle's classes cannot be loaded then, and print that.
 */
public final class ChronicleNodeDirectory implements NodeDirectory {

    private static final long ACCESS_MS = 250;

    /** A short job would pay for the first map of a JVM and never use it. */
    private static final long OPEN_AFTER_MS = 1_500;
    private static final long APPEAR_MS = 20_000;
    private static final long POLL_MS = 20;
    private static final long REHEARSAL_MS = 60_000;

    private static final long LOADING_MS = 10_000;
    private static final String BUILD_FOLDER = "project.build.directory";
    private static final String RELEASER = "background.releaser";
    private static final int SPARE_ENTRIES = 16;
    private static final int USUAL_ENTRY_BYTES = 256;
    private static final System.Logger LOG = System.getLogger("pgas.directory");

    /** True once a map of this JVM has been opened, and so Chronicle's classes are loaded. */
    private static volatile boolean loaded;

    private final Path file;
    private final boolean creator;
    private final int ranks;
    private final long accessMs;
    private final ExecutorService accesses = Executors.newSingleThreadExecutor(task ->
            Thread.ofPlatform().daemon().name("pgas-directory").unstarted(task));
    private final List<SegmentEntry> early = new ArrayList<>();
    private final CountDownLatch opened = new CountDownLatch(1);
    private ChronicleMap<Long, byte[]> map;
    private volatile boolean open;
    private volatile boolean off;
    private volatile boolean closed;

    private ChronicleNodeDirectory(Path file, boolean creator, int ranks, long accessMs) {
        this.file = file;
        this.creator = creator;
        this.ranks = ranks;
        this.accessMs = accessMs;
    }

    /**
     * Starts to open the map; returns at once.
     *
     * @param file    in an owner-only directory
     * @param creator true in one JVM of the node only: it makes the file, the others wait for it
     */
    public static ChronicleNodeDirectory open(Path file, boolean creator, int ranks) {
        return open(file, creator, ranks, OPEN_AFTER_MS);
    }

    /**
     * Opens a map of its own in {@code folder}, for a JVM that records its classes for an archive.
     *
     * @throws IOException if that does not work within a minute
     */
    public static void rehearse(Path folder) throws IOException {
        ChronicleNodeDirectory directory = open(folder.resolve("segments"), true, 1, 0);
        try {
            long deadlineNs = System.nanoTime() + REHEARSAL_MS * 1_000_000;
            while (!directory.isOpen()) {
                if (directory.isOff() || System.nanoTime() - deadlineNs > 0) {
                    throw new IOException("no node directory in " + folder + " after at most " + REHEARSAL_MS + " ms");
                }
                directory.pause(POLL_MS);
            }
        } finally {
            directory.close();
        }
    }

    static ChronicleNodeDirectory open(Path file, boolean creator, int ranks, long afterMs) {
        return open(file, creator, ranks, afterMs, ACCESS_MS);
    }

    /** @param accessMs time that an access may take */
    static ChronicleNodeDirectory open(Path file, boolean creator, int ranks, long afterMs, long accessMs) {
        ChronicleNodeDirectory directory = new ChronicleNodeDirectory(file, creator, ranks, accessMs);
        directory.accesses.execute(() -> directory.openMap(afterMs));
        return directory;
    }

    /**
     * Loads two classes of Chronicle's under settings of our own. One searches for a build's folder and creates one in
     * the temporary directory without it, but nothing in a given folder that does not exist. The other starts a thread
     * before it registers a shutdown hook: in a JVM that ends, the thread fails with a stack trace; memory is released
     * at once instead.
     */
    private static synchronized void loadQuietly() {
        under(BUILD_FOLDER, System.getProperty("java.io.tmpdir") + "/no-build-here", OS::getTarget);
        under(RELEASER, "false", BackgroundResourceReleaser::isOnBackgroundResourceReleaserThread);
    }

    private static void under(String property, String value, Runnable load) {
        if (System.getProperty(property) == null) {
            System.setProperty(property, value);
            try {
                load.run();
            } finally {
                System.clearProperty(property);
            }
        }
    }

    private void openMap(long afterMs) {
        try {
            pause(afterMs);
            Path toOpen = creator ? file.resolveSibling(file.getFileName() + ".new") : file;
            if (!closed && !creator && !appears()) {
                turnOff(file + " did not appear within " + APPEAR_MS + " ms", null);
                return;
            }
            if (closed) {
                return;
            }
            loadQuietly();
            GlobalMutableState.define();
            map = ChronicleMapBuilder.of(Long.class, byte[].class)
                    .name("pgas-segments")
                    .entries(2L * ranks + SPARE_ENTRIES)
                    .averageValueSize(USUAL_ENTRY_BYTES)
                    .skipCloseOnExitHook(true) // the end of the JVM must not wait for a lock in the file
                    .createPersistedTo(toOpen.toFile());
            if (creator) { // under its name it is complete
                Files.setPosixFilePermissions(toOpen, PosixFilePermissions.fromString("rw-------"));
                Files.move(toOpen, file, StandardCopyOption.ATOMIC_MOVE);
            }
            for (List<SegmentEntry> kept = takeEarly(); !open; kept = takeEarly()) {
                kept.forEach(this::put);
            }
        } catch (Exception | LinkageError | InternalError e) {
            turnOff("cannot open " + file, e);
        } finally {
            loaded |= map != null;
            if (closed && map != null) {
                map.close();
            }
            opened.countDown();
        }
    }

    private boolean appears() throws IOException {
        long deadlineNs = System.nanoTime() + APPEAR_MS * 1_000_000;
        while (!Files.exists(file)) {
            if (closed || System.nanoTime() - deadlineNs > 0) {
                return false;
            }
            pause(POLL_MS);
        }
        return true;
    }

    /** Ends early if the directory is closed. */
    private synchronized void pause(long ms) throws IOException {
        try {
            for (long end = System.nanoTime() + ms * 1_000_000, left = ms; left > 0 && !closed;
                    left = (end - System.nanoTime()) / 1_000_000) {
                wait(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("waiting for " + file);
        }
    }

    /** Takes the entries that were published before; opens for accesses if there are none. */
    private List<SegmentEntry> takeEarly() {
        synchronized (early) {
            List<SegmentEntry> taken = List.copyOf(early);
            early.clear();
            open = taken.isEmpty();
            return taken;
        }
    }

    private void put(SegmentEntry entry) {
        map.put(EntryCodec.key(entry.rank(), entry.kind()), EntryCodec.encode(entry));
    }

    /** True once accesses reach the map; false again never, unless it failed. */
    boolean isOpen() {
        return open && !off && !closed;
    }

    boolean isOff() {
        return off;
    }

    /** Also returns false while the map opens; the entry is then published as soon as it is open. */
    @Override
    public boolean publish(SegmentEntry entry) {
        EntryCodec.encode(entry); // a bad entry is the caller's mistake, not the map's
        if (!open) {
            synchronized (early) {
                if (!open) {
                    early.add(entry);
                    return false;
                }
            }
        }
        return access("publish rank " + entry.rank() + " " + entry.kind(), () -> {
            put(entry);
            return Boolean.TRUE;
        }) != null;
    }

    @Override
    public Optional<SegmentEntry> lookup(int rank, MemoryKind kind) {
        byte[] bytes = open ? access("lookup rank " + rank + " " + kind, () -> map.get(EntryCodec.key(rank, kind)))
                : null;
        return EntryCodec.decode(bytes, rank, kind);
    }

    /** Null if there is no answer in time. */
    private <T> T access(String what, Callable<T> access) {
        if (off || closed) {
            return null;
        }
        Future<T> answer;
        try {
            answer = accesses.submit(() -> {
                try {
                    return access.call();
                } catch (InternalError | LinkageError e) { // a mapped page that is not in the file any more
                    throw new IOException(e);
                }
            });
        } catch (RejectedExecutionException _) {
            return null; // closed meanwhile
        }
        try {
            return answer.get(accessMs, TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            answer.cancel(true);
            turnOff(what + " took more than " + accessMs + " ms", e);
        } catch (ExecutionException e) {
            turnOff(what + " failed", e.getCause());
        } catch (InterruptedException _) {
            answer.cancel(false);
            Thread.currentThread().interrupt();
        }
        return null;
    }

    private synchronized void turnOff(String why, Throwable cause) {
        if (!off && !closed) {
            off = true;
            LOG.log(Level.WARNING, "node directory off in this JVM, addresses come over the bootstrap: " + why
                    + (cause == null ? "" : ": " + cause));
            LOG.log(Level.DEBUG, why, cause);
        }
    }

    /**
     * Waits for the map at most as long as an access may take, but for the first one of a JVM while it opens. The file is
     * removed with the job's directory.
     */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        if (isOpen()) {
            access("close", () -> {
                map.close();
                return null;
            });
        }
        synchronized (this) {
            closed = true;
            notifyAll();
        }
        accesses.shutdown(); // one that is stuck is a daemon
        if (!loaded) {
            awaitOpening();
        }
    }

    private void awaitOpening() {
        try {
            if (!opened.await(LOADING_MS, TimeUnit.MILLISECONDS)) {
                LOG.log(Level.DEBUG, file + " still opens after " + LOADING_MS + " ms");
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }
}
