package org.pgas4j.runtime.blocks;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import org.pgas4j.DeviceGrid;
import org.pgas4j.DeviceMemory;
import org.pgas4j.device.Accelerator;
import org.pgas4j.device.PinnedMemory;
import org.pgas4j.device.StreamEvent;
import org.pgas4j.fastpath.conduit.Endpoint;
import org.pgas4j.helper.ProgressEngine;
import org.pgas4j.os.trace.Trace;
import org.pgas4j.space.memory.Segments;

/**
 * Does for a rank's blocks what they cannot: takes their commands in order and carries them out, prints their log. A command that
 * would have to wait stays at the head of the queue, and the next poll goes on with it. After the host side of dCUDA.
 */
final class BlockService implements ProgressEngine.Service {

    private static final int COMMANDS_AT_ONCE = 64;

    private final int team;
    private final int rank;
    private final BlockLayout layout;
    private final HostPage page;
    private final Segments segments;
    private final BlockDirectory directory;
    private final Accelerator accelerator;
    private final ProxyWriter own;
    private final DeviceMemory memory;
    private final long segmentStart;
    private final long area;
    private final IntPredicate prepared;
    private final Arena arena = Arena.ofShared();
    private final Command command = new Command();
    private final BlockMessages messages;
    private final ProxyWriter[] writers; // of ranks of this JVM, once used
    private final long[] posted; // messages of each writer among which are all of these blocks
    private final boolean[] streamed; // whether a writer's stream may have work of these blocks
    private final long[] flushed;
    private final long[] got;
    private final BlockTimers timers;
    private final StagedPlaces places;
    private long head;
    private long logHead;
    private volatile Consumer<DeviceGrid.LogLine> log = BlockService::print;
    private volatile int polls;
    private volatile int lastIdle;
    private volatile boolean settling;
    private boolean pending; // the head command is in `command`, done up to `step`
    private int step;
    private StreamEvent fetched; // of a get that notifies

    BlockService(int team, int rank, BlockLayout layout, HostPage page, Segments segments, ProgressEngine progress,
                 BlockDirectory directory, Accelerator accelerator, ProxyWriter own, DeviceMemory memory, long segmentStart,
                 long area, IntPredicate prepared) {
        this.team = team;
        this.rank = rank;
        this.layout = layout;
        this.page = page;
        this.segments = segments;
        this.directory = directory;
        this.accelerator = accelerator;
        this.own = own;
        this.memory = memory;
        this.segmentStart = segmentStart;
        this.area = area;
        this.prepared = prepared;
        this.messages = new BlockMessages(team, layout, progress, accelerator, memory, segmentStart, page, arena, this::arrived);
        this.writers = new ProxyWriter[layout.hostRanks()];
        this.posted = new long[layout.hostRanks()];
        this.streamed = new boolean[layout.hostRanks()];
        this.flushed = new long[layout.perRank()];
        this.got = new long[layout.perRank()];
        this.timers = new BlockTimers(layout.perRank());
        this.places = new StagedPlaces(page);
    }

    @Override
    public boolean poll() {
        int number = polls + 1;
        polls = number; // one thread polls at a time
        boolean any = false;
        for (int i = 0; i < COMMANDS_AT_ONCE; i++) {
            if (!pending) {
                if (!command.read(page, head)) {
                    break;
                }
                pending = true;
                step = 0;
            }
            if (!carryOut()) {
                break;
            }
            pending = false;
            head++;
            any = true;
            if (head % (HostPage.QUEUE_ENTRIES / 4) == 0) {
                page.set(HostPage.QUEUE_HEAD, head);
            }
        }
        boolean sent = messages.isEmpty();
        any |= !sent && messages.send();
        any |= printLog();
        any |= own.handOver();
        any |= own.runTaken();
        any |= places.freeCopied();
        if (!any && !pending && sent && isSettled()) {
            lastIdle = number;
        }
        return any;
    }

    private boolean isSettled() {
        if (settling && messages.settleAll()) {
            settling = false;
        }
        return !settling;
    }

    /** The rank is about to wait for the commands: what it sends by itself afterwards comes after them. Any thread. */
    void settle() {
        settling = true;
    }

    /** Number of polls begun. */
    int polls() {
        return polls;
    }

    /** True if a poll later than number {@code poll} found nothing to do. */
    boolean wasIdleAfter(int poll) {
        return lastIdle - poll > 0;
    }

    private boolean carryOut() {
        return switch (command.op()) {
            case Command.TIMER -> time();
            case Command.TRIGGER -> trigger();
            case Command.HOST -> notifyHost(command.target());
            case Command.WORD -> put(command.target());
            case Command.GET -> get(command.target() / layout.perRank());
            case Command.NOTIFY, Command.PUT_INLINE, Command.PUT, Command.PUT_STAGED -> put(command.target() / layout.perRank());
            default -> throw new IllegalStateException("rank " + rank + ": block " + command.block() + " gave command "
                    + command.op() + ", which there is not");
        };
    }

    private boolean trigger() {
        if (!messages.settleAll()) {
            return false;
        }
        Arrays.fill(streamed, true); // a prepared communication may write to any rank's blocks
        try {
            return prepared.test(command.target());
        } catch (IllegalStateException e) {
            throw new IllegalStateException("rank " + rank + " block " + command.block() + " triggered: " + e.getMessage(), e);
        }
    }

    private boolean time() {
        if (command.target() == 1) {
            timers.start(command.block(), command.tag(), System.nanoTime());
        } else {
            timers.stop(command.block(), command.tag(), System.nanoTime());
        }
        return true;
    }

    BlockTimers timers() {
        return timers;
    }

    /** To the counters of a rank's host code and streams, after everything this rank's blocks sent there before. */
    private boolean notifyHost(int target) {
        Endpoint endpoint = segments.endpoint(rank, target);
        ProxyWriter writer = writer(target);
        if (endpoint.mapped() != null && !messages.isUsed(target)) {
            if (writer != null && !isDelivered(writer, target)) {
                return false;
            }
            long beginNs = Trace.isOn() ? System.nanoTime() : 0;
            long before = endpoint.fetchAndAddWord(segments.area().notification(command.tag()), 1);
            if (beginNs != 0) {
                Trace.signal(rank, target, command.tag(), 1, before + 1, beginNs);
            }
            return true;
        }
        return messages.notifyHost(command, target);
    }

    /** True if all that these blocks sent through a writer is there. What others send there does not matter. */
    private boolean isDelivered(ProxyWriter writer, int target) {
        if (!streamed[target]) {
            return writer.isTaken(posted[target]) || writer.isIdle();
        }
        streamed[target] = !writer.isIdle();
        return !streamed[target];
    }

    /** That of a rank of this JVM, or null; it stays the same as long as blocks can ask for it. */
    private ProxyWriter writer(int target) {
        ProxyWriter known = writers[target];
        if (known == null && !messages.isUsed(target)) {
            known = directory.writer(team, target);
            writers[target] = known;
        }
        return known;
    }

    private boolean put(int target) {
        ProxyWriter writer = writer(target);
        if (writer == null && !directory.isClosed(team, target)) {
            return putByMessage(target);
        }
        if (writer == null || writer.isClosed()) {
            release();
            return true;
        }
        return command.op() == Command.PUT_STAGED ? putStaged(writer, target) : putHere(writer, target);
    }

    /** Ends a command whose source is read, or not needed any more: its block may wait for that. */
    private void release() {
        if (command.op() == Command.PUT) {
            accelerator.bind();
            flushed();
        } else if (command.op() == Command.PUT_STAGED) {
            places.free(command.value());
        }
    }

    private void flushed() {
        own.area(layout.record(command.block()) + BlockLayout.FLUSHED, ++flushed[command.block()]);
    }

    /** To a rank of this JVM. */
    private boolean putHere(ProxyWriter writer, int target) {
        boolean word = command.op() == Command.WORD;
        int block = word ? 0 : command.target() % layout.perRank();
        int tag = word ? 0 : command.tag();
        int count = command.notifies() || command.op() == Command.NOTIFY ? 1 : 0;
        int bytes = command.op() == Command.NOTIFY ? 0 : command.length();
        long offset = bytes == 0 ? 0 : command.offset();
        boolean copies = command.op() == Command.PUT;
        if (!copies) {
            ProxyWriter.Posting posting = writer.tryPost(offset, command.value(), bytes, block, tag, count);
            if (posting != ProxyWriter.Posting.BY_STREAM) {
                posted[target] = writer.posted();
                return posting != ProxyWriter.Posting.LATER;
            }
        }
        streamed[target] = true;
        segments.acceleratorOf(target).bind();
        try {
            if (copies) {
                copyHere(writer, block, tag, count);
                return true;
            }
            if (bytes != 0) {
                writer.putByStream(offset, command.value(), bytes);
            }
            if (count != 0) {
                writer.notifyByStream(block, tag, count);
            }
        } finally {
            accelerator.bind();
        }
        return true;
    }

    /** To a rank of this JVM, of bytes beside the queue. */
    private boolean putStaged(ProxyWriter writer, int target) {
        int block = command.target() % layout.perRank();
        int count = command.notifies() ? 1 : 0;
        long from = HostPage.staged(command.value(), command.offset());
        ProxyWriter.Posting posting = writer.tryPostStaged(command.offset(), page.memory(), from, (int) command.bytes(), block,
                command.tag(), count);
        if (posting == ProxyWriter.Posting.LATER) {
            return false;
        }
        if (posting == ProxyWriter.Posting.BY_STREAM) {
            streamed[target] = true;
            segments.acceleratorOf(target).bind();
            try {
                places.freeAfter(command.value(), writer.copyIn(command.offset(), page.memory(), from, command.bytes()));
                writer.notifyByStream(block, command.tag(), count);
            } finally {
                accelerator.bind();
            }
            return true;
        }
        posted[target] = writer.posted();
        places.free(command.value());
        return true;
    }

    /** The notification first, for which somebody waits more likely than for the source. */
    private void copyHere(ProxyWriter writer, int block, int tag, int count) {
        try (StreamEvent copied = writer.copy(command.offset(), memory, segmentStart + command.value(), command.bytes())) {
            if (copied == null) {
                release();
                return;
            }
            if (count != 0) {
                writer.notifyByStream(block, tag, count);
            }
            accelerator.bind();
            own.areaAfter(copied, layout.record(command.block()) + BlockLayout.FLUSHED, ++flushed[command.block()]);
        }
    }

    // ---- gets

    private boolean get(int target) {
        accelerator.bind();
        ProxyWriter writer = writer(target);
        return writer != null ? getHere(writer, target) : messages.get(command, target);
    }

    private void arrived() {
        own.area(gotAt(), ++got[command.block()]);
    }

    private long gotAt() {
        return layout.record(command.block()) + BlockLayout.GOT;
    }

    /** From a rank of this JVM; a notification follows when the bytes have been read. */
    private boolean getHere(ProxyWriter writer, int target) {
        if (step == 0) {
            fetched = own.fetch(command.value(), writer, command.offset(), command.bytes(), gotAt(), ++got[command.block()]);
            if (fetched == null) {
                return true; // the block that got has ended
            }
            step = 1;
        }
        if (command.notifies() && (!fetched.isDone() || !notifyHere(writer, target))) {
            return false;
        }
        fetched.close();
        fetched = null;
        return true;
    }

    private boolean notifyHere(ProxyWriter writer, int target) {
        int block = command.target() % layout.perRank();
        ProxyWriter.Posting posting = writer.tryPost(0, 0, 0, block, command.tag(), 1);
        posted[target] = writer.posted();
        if (posting == ProxyWriter.Posting.BY_STREAM) {
            streamed[target] = true;
            segments.acceleratorOf(target).bind();
            try {
                writer.notifyByStream(block, command.tag(), 1);
            } finally {
                accelerator.bind();
            }
        }
        return posting != ProxyWriter.Posting.LATER;
    }

    /** To a rank of another JVM. */
    private boolean putByMessage(int target) {
        boolean done = messages.put(command, target);
        if (done) {
            release();
        }
        return done;
    }

    private boolean printLog() {
        boolean any = false;
        while (true) {
            long at = HostPage.LOG + logHead % HostPage.LOG_ENTRIES * HostPage.LOG_BYTES;
            if (page.get(at) != logHead + 1) {
                break;
            }
            long lengthAndBlock = page.get(at + HostPage.LOG_LENGTH_BLOCK);
            log.accept(new DeviceGrid.LogLine(rank, (int) lengthAndBlock, logText(at, lengthAndBlock >>> 32)));
            logHead++;
            page.set(HostPage.LOG_HEAD, logHead);
            any = true;
        }
        return any;
    }

    private String logText(long at, long length) {
        byte[] text = new byte[(int) Math.min(length, HostPage.MAX_LOG_TEXT)];
        MemorySegment.copy(page.memory(), ValueLayout.JAVA_BYTE, at + HostPage.LOG_TEXT, text, 0, text.length);
        long[] values = new long[HostPage.MAX_LOG_VALUES];
        for (int i = 0; i < values.length; i++) {
            values[i] = page.get(at + HostPage.LOG_VALUES + (long) i * Long.BYTES);
        }
        return LogFormat.format(LogFormat.decode(text, text.length == HostPage.MAX_LOG_TEXT), page.get(at + HostPage.LOG_TYPES), values);
    }

    private static void print(DeviceGrid.LogLine line) {
        System.out.println("[rank " + line.rank() + " block " + line.block() + "] " + line.text());
        System.out.flush();
    }

    /** Sets the receiver of log lines; null for standard output. */
    void logTo(Consumer<DeviceGrid.LogLine> receiver) {
        log = receiver == null ? BlockService::print : receiver;
    }

    /** Log lines that found no place. */
    long droppedLines() {
        return page.get(HostPage.LOG_DROPPED);
    }

    /** Frees the page, unless streams of other ranks may still copy from it: then it stays until the process ends. */
    void closePage(PinnedMemory pinned) {
        places.freeCopied();
        if (!places.areCopied()) {
            pinned.close();
        }
    }

    void close() {
        if (fetched != null) {
            fetched.close();
        }
        arena.close();
    }
}
