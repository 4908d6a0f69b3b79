package org.pgas4j.helper.resident;

import static org.pgas4j.helper.resident.ResidentLayout.ANSWERS;
import static org.pgas4j.helper.resident.ResidentLayout.HEADER_WORDS;
import static org.pgas4j.helper.resident.ResidentLayout.INLINE_BYTES;
import static org.pgas4j.helper.resident.ResidentLayout.OP_ATOMIC;
import static org.pgas4j.helper.resident.ResidentLayout.OP_GET;
import static org.pgas4j.helper.resident.ResidentLayout.OP_PUT;
import static org.pgas4j.helper.resident.ResidentLayout.PARKED;
import static org.pgas4j.helper.resident.ResidentLayout.REQUESTS;
import static org.pgas4j.helper.resident.ResidentLayout.SLOTS;
import static org.pgas4j.helper.resident.ResidentLayout.SLOT_BYTES;
import static org.pgas4j.helper.resident.ResidentLayout.STAGING;
import static org.pgas4j.helper.resident.ResidentLayout.STARTED;
import static org.pgas4j.helper.resident.ResidentLayout.STOP;
import static org.pgas4j.helper.resident.ResidentLayout.WORD_DATA;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.pgas4j.AtomicOp;
import org.pgas4j.Buffer;
import org.pgas4j.DeviceException;
import org.pgas4j.DeviceMemory;
import org.pgas4j.ElementType;
import org.pgas4j.Kernel;
import org.pgas4j.device.Accelerator;
import org.pgas4j.device.AcceleratorStream;
import org.pgas4j.device.AtomicWords;
import org.pgas4j.device.PinnedMemory;
import org.pgas4j.device.PinnedView;
import org.pgas4j.device.ResidentWork;
import org.pgas4j.os.CloseHelper;

/**
 * One rank's resident block: a block of its GPU that polls a ring in page-locked memory and carries out small puts, gets and
 * atomic operations in order, on all memory that the GPU reaches. Requests are complete, at their target too, when {@link
 * #outstanding} no longer counts them; nothing here waits.
 *
 * <p>The block is launched by {@link #isReady}, which is true only once it runs: until then the caller takes another way, so
 * that no transfer waits for room on the device. It ends by itself after an idle time, after a time in all, and when the device
 * {@linkplain ResidentWork suspends} it. What it had not served then is withdrawn: the device's copy engine does it, in order.
 *
 * <p>Used by the rank's thread, but for {@link #suspend} and {@link #resume}.
 */
public final class ResidentBlock implements ResidentWork, AutoCloseable {

    /** Number of requests under way that leave room for another, and let the next few be posted without a wait. */
    public static final int ROOM = SLOTS / 2;

    private static final long CLOSE_NS = TimeUnit.SECONDS.toNanos(1);
    private static final int LOOKS_BETWEEN_CHECKS = 1 << 10;
    private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle().withInvokeExactBehavior();

    private enum State { ENDED, LAUNCHED, SERVING, WITHDRAWN }

    /** A request under way. Reused. */
    private static final class Request {
        private int op;
        private int bytes;
        private DeviceMemory memory;
        private long offset;
        private MemorySegment result; // of a get or an atomic operation; null for none
        private long resultOffset;
        private AtomicOp atomic;
        private ElementType type;
        private long operand;
        private long comparand;
    }

    private final Accelerator accelerator;
    private final ResidentOptions options;
    private final Kernel kernel;
    private final int stagingBytes;
    private final PinnedMemory pinned;
    private final MemorySegment area;
    private final Buffer buffer;
    private final AcceleratorStream stream;
    private final Request[] requests = new Request[SLOTS];
    private final AtomicInteger holds = new AtomicInteger();
    private State state = State.ENDED;
    private volatile long launch; // read by those that suspend
    private boolean closed;       // guarded by this
    private long posted;
    private long answered;
    private long launches;
    private long withdrawn;
    private int looks;
    private AcceleratorStream withdrawnTo;
    private DeviceMemory atomicResult;

    /** Prepares a block of {@code accelerator}, which compiles its kernel; nothing is launched yet. */
    public ResidentBlock(Accelerator accelerator, ResidentOptions options) {
        this(accelerator, options, ResidentKernel.KERNEL, 0);
    }

    /**
     * For tests.
     *
     * @param kernel with the arguments of {@link ResidentKernel#KERNEL}
     * @param first  number of the first request, a multiple of the number of slots
     */
    ResidentBlock(Accelerator accelerator, ResidentOptions options, Kernel kernel, long first) {
        this.accelerator = accelerator;
        this.kernel = kernel;
        this.options = options;
        this.posted = first;
        this.answered = first;
        stagingBytes = ResidentLayout.stagingBytes(options.maxBytes());
        accelerator.prepare(kernel);
        pinned = accelerator.allocatePinned(ResidentLayout.bytes(options.maxBytes()));
        area = pinned.segment().fill((byte) 0);
        buffer = Buffer.ofPinned(area, new PinnedView(pinned), ElementType.BYTE, area.byteSize());
        stream = accelerator.newUrgentStream();
        for (int slot = 0; slot < SLOTS; slot++) {
            requests[slot] = new Request();
        }
        accelerator.residents().add(this);
    }

    // ---- requests

    /** Number of requests that are not complete. */
    public int outstanding() {
        return (int) (posted - answered);
    }

    /** True if no request can be posted before one is complete. */
    public boolean isFull() {
        return posted - answered == SLOTS || outstanding() > 0 && ResidentLayout.beginsAgain(posted);
    }

    /** True if the last launch has ended. */
    boolean isParked() {
        return load(PARKED) == launch;
    }

    /** Number of launches so far. */
    public long launches() {
        return launches;
    }

    /** Number of requests so far that the block ended before, which the copy engine has carried out. */
    public long withdrawn() {
        return withdrawn;
    }

    /** True if a request can be posted now. Launches the block if it does not run and nothing is outstanding. */
    public boolean isReady() {
        if (state == State.SERVING && load(PARKED) != launch) {
            return !isFull();
        }
        if (state == State.LAUNCHED && load(STARTED) == launch) {
            state = State.SERVING;
            return load(PARKED) != launch && !isFull();
        }
        if (outstanding() == 0 && state != State.WITHDRAWN) {
            launchIfEnded();
        }
        return false;
    }

    private void launchIfEnded() {
        if (state == State.LAUNCHED && load(PARKED) != launch) {
            return; // it has not begun: the device has no room for it now
        }
        state = State.ENDED;
        if (holds.get() > 0) {
            return;
        }
        launch = launch + 1; // before the look at holds: pairs with the order in suspend
        if (holds.get() > 0) {
            return;
        }
        stream.launch(kernel, ResidentKernel.SHAPE, ResidentKernel.arguments(buffer, posted, launch, options.idleNs(),
                options.lifeNs(), stagingBytes));
        state = State.LAUNCHED;
        launches++;
    }

    /**
     * Posts a put, after {@link #isReady}. The source may be used again at once.
     *
     * @param src host memory, on Java's heap too
     */
    public void put(DeviceMemory dst, long offset, MemorySegment src, long srcOffset, int bytes) {
        request(OP_PUT, dst, offset, bytes);
        if (bytes > INLINE_BYTES) {
            MemorySegment.copy(src, srcOffset, area, staging(posted), bytes);
            post(HEADER_WORDS, 0, 0);
            return;
        }
        int done = 0;
        for (; done + WORD_DATA <= bytes; done += WORD_DATA) {
            word(HEADER_WORDS + done / WORD_DATA, src.get(ValueLayout.JAVA_INT_UNALIGNED, srcOffset + done));
        }
        if (done < bytes) {
            word(HEADER_WORDS + done / WORD_DATA, last(src, srcOffset + done, bytes - done));
        }
        post(HEADER_WORDS + ResidentLayout.wordsOf(bytes), 0, 0);
    }

    private static int last(MemorySegment src, long offset, int bytes) {
        int data = 0;
        for (int k = 0; k < bytes; k++) {
            data |= (src.get(ValueLayout.JAVA_BYTE, offset + k) & 0xff) << Byte.SIZE * k;
        }
        return data;
    }

    /**
     * Posts a get, after {@link #isReady}. The call that finds it complete writes the bytes.
     *
     * @param dst host memory, on Java's heap too; stays open until the get is complete
     */
    public void get(MemorySegment dst, long dstOffset, DeviceMemory src, long offset, int bytes) {
        Request request = request(OP_GET, src, offset, bytes);
        request.result = dst;
        request.resultOffset = dstOffset;
        post(HEADER_WORDS, 0, 0);
    }

    /**
     * Posts an atomic operation, after {@link #isReady}. Arguments are those of {@link AtomicWords#apply}.
     *
     * @param result 8 bytes for the bits that were there; null for none
     */
    public void atomic(DeviceMemory memory, long offset, ElementType type, AtomicOp op, long operand, long comparand,
                       MemorySegment result) {
        Request request = request(OP_ATOMIC, memory, offset, Long.BYTES);
        request.result = result;
        request.resultOffset = 0;
        request.atomic = op;
        request.type = type;
        request.operand = operand;
        request.comparand = comparand;
        word(HEADER_WORDS, (int) operand);
        word(HEADER_WORDS + 1, (int) (operand >>> Integer.SIZE));
        word(HEADER_WORDS + 2, (int) comparand);
        word(HEADER_WORDS + 3, (int) (comparand >>> Integer.SIZE));
        post(HEADER_WORDS + 4, AtomicWords.code(type), op.code());
    }

    private Request request(int op, DeviceMemory memory, long offset, int bytes) {
        if (ResidentLayout.beginsAgain(posted)) {
            clear();
        }
        Request request = requests[ResidentLayout.slot(posted)];
        request.op = op;
        request.memory = memory;
        request.offset = offset;
        request.bytes = bytes;
        request.result = null;
        long address = memory.address() + offset;
        word(1, bytes);
        word(2, (int) address);
        word(3, (int) (address >>> Integer.SIZE));
        return request;
    }

    /** Makes all tags invalid; nothing is outstanding. */
    private void clear() {
        for (long at = REQUESTS; at < STAGING; at += Long.BYTES) {
            store(at, 0);
        }
    }

    private void post(int words, int type, int atomic) {
        word(0, ResidentLayout.head(requests[ResidentLayout.slot(posted)].op, words, type, atomic));
        posted++;
    }

    private void word(int word, int data) {
        // release: staged bytes come before; pairs with the block's loads of the words
        store(REQUESTS + (long) ResidentLayout.slot(posted) * SLOT_BYTES + (long) word * Long.BYTES,
                ResidentLayout.word(data, ResidentLayout.tag(posted)));
    }

    private long staging(long sequence) {
        return STAGING + (long) ResidentLayout.slot(sequence) * stagingBytes;
    }

    private long load(long offset) {
        return (long) WORD.getAcquire(area, offset);
    }

    private void store(long offset, long value) {
        WORD.setRelease(area, offset, value);
    }

    // ---- completion

    /**
     * Looks for answers; never blocks.
     *
     * @param spare gives a stream for what the block has ended before; idle, and left to this until nothing is outstanding
     * @return true if a request has become complete
     * @throws DeviceException if the block has failed
     */
    public boolean poll(Supplier<AcceleratorStream> spare) {
        if (state == State.WITHDRAWN) {
            return pollWithdrawn();
        }
        boolean any = takeAnswers();
        if (!any && outstanding() > 0 && hasEnded()) {
            any = takeAnswers(); // those before its end
            if (outstanding() > 0) {
                withdraw(spare.get());
            }
        }
        return any;
    }

    /** True if the block has ended; now and then this looks at its stream, which reports a failure. */
    private boolean hasEnded() {
        return isParked() || (++looks & LOOKS_BETWEEN_CHECKS - 1) == 0 && stream.isIdle();
    }

    private boolean takeAnswers() {
        boolean any = false;
        while (outstanding() > 0 && isAnswered()) {
            any = true;
            take();
        }
        return any;
    }

    private long answerWord(int word) {
        return load(ANSWERS + (long) ResidentLayout.slot(answered) * SLOT_BYTES + (long) word * Long.BYTES);
    }

    private boolean isAnswered() {
        int tag = ResidentLayout.tag(answered);
        int words = answerWords(requests[ResidentLayout.slot(answered)]);
        for (int word = 0; word <= words; word++) {
            if ((int) (answerWord(word) >>> Integer.SIZE) != tag) {
                return false;
            }
        }
        return true;
    }

    /** Number of words of an answer beside its first. */
    private static int answerWords(Request request) {
        return request.op == OP_PUT || request.bytes > INLINE_BYTES ? 0 : ResidentLayout.wordsOf(request.bytes);
    }

    /** Takes the answer to the oldest request: what follows may fail on memory that was closed. */
    private void take() {
        Request request = requests[ResidentLayout.slot(answered)];
        MemorySegment result = request.result;
        long from = answered;
        if (result == null) {
            answered++;
            return;
        }
        request.result = null;
        try {
            if (request.bytes > INLINE_BYTES) {
                MemorySegment.copy(area, staging(from), result, request.resultOffset, request.bytes);
            } else {
                takeWords(request, result);
            }
        } finally {
            answered++;
        }
    }

    private void takeWords(Request request, MemorySegment result) {
        int done = 0;
        for (; done + WORD_DATA <= request.bytes; done += WORD_DATA) {
            result.set(ValueLayout.JAVA_INT_UNALIGNED, request.resultOffset + done, (int) answerWord(1 + done / WORD_DATA));
        }
        int data = done < request.bytes ? (int) answerWord(1 + done / WORD_DATA) : 0;
        for (int k = 0; done + k < request.bytes; k++) {
            result.set(ValueLayout.JAVA_BYTE, request.resultOffset + done + k, (byte) (data >> Byte.SIZE * k));
        }
    }

    // ---- withdrawal

    /** Queues what the block has not served on {@code to}; it serves nothing any more. */
    private void withdraw(AcceleratorStream to) {
        for (long sequence = answered; sequence < posted; sequence++) {
            queue(requests[ResidentLayout.slot(sequence)], sequence, to);
        }
        withdrawn += outstanding();
        withdrawnTo = to;
        state = State.WITHDRAWN;
    }

    private void queue(Request request, long sequence, AcceleratorStream to) {
        long staging = staging(sequence);
        if (request.op == OP_PUT) {
            if (request.bytes <= INLINE_BYTES) {
                unpack(sequence, request.bytes);
            }
            to.copyIn(request.memory, request.offset, area, staging, request.bytes);
        } else if (request.op == OP_GET) {
            to.copyOut(area, staging, request.memory, request.offset, request.bytes);
        } else {
            if (atomicResult == null) {
                atomicResult = accelerator.allocate(Long.BYTES, false);
            }
            Buffer old = Buffer.ofDevice(atomicResult, 0, ElementType.LONG, 1);
            Buffer word = Buffer.ofDevice(request.memory, request.offset, request.type, 1);
            to.launch(AtomicWords.KERNEL, AtomicWords.SHAPE, new Object[] {word, request.atomic.code(),
                AtomicWords.code(request.type), request.operand, request.comparand, old, 1});
            to.copyOut(area, staging, atomicResult, 0, Long.BYTES);
        }
    }

    /** Copies the bytes of a put's words to the slot's staging memory. */
    private void unpack(long sequence, int bytes) {
        long from = REQUESTS + (long) ResidentLayout.slot(sequence) * SLOT_BYTES;
        for (int word = 0; word < ResidentLayout.wordsOf(bytes); word++) {
            area.set(ValueLayout.JAVA_INT, staging(sequence) + (long) word * WORD_DATA,
                    (int) load(from + (long) (HEADER_WORDS + word) * Long.BYTES));
        }
    }

    private boolean pollWithdrawn() {
        if (!withdrawnTo.isIdle()) {
            return false;
        }
        state = State.ENDED;
        withdrawnTo = null;
        while (outstanding() > 0) {
            Request request = requests[ResidentLayout.slot(answered)];
            MemorySegment result = request.result;
            long from = staging(answered);
            request.result = null;
            answered++;
            if (result != null) {
                MemorySegment.copy(area, from, result, request.resultOffset, request.bytes);
            }
        }
        return true;
    }

    // ---- end

    @Override
    public void suspend() {
        holds.incrementAndGet(); // before the launch is read: pairs with the order in launchIfEnded
        stop();
    }

    private synchronized void stop() {
        if (!closed) {
            store(STOP, launch);
        }
    }

    @Override
    public void resume() {
        holds.decrementAndGet();
    }

    /** Waits a second for the block's end; true if it has ended, or never began. */
    private boolean awaitEnd() {
        try {
            return stream.sync(System.nanoTime() + CLOSE_NS);
        } catch (DeviceException e) {
            return true; // it failed, which was reported
        }
    }

    /**
     * Ends the block and frees its memory; what is outstanding is lost. Waits up to a second.
     *
     * @throws DeviceException if the block does not end: its memory is left to the device
     */
    @Override
    public void close() {
        accelerator.residents().remove(this);
        synchronized (this) {
            if (closed) {
                return;
            }
            stop();
            closed = true;
        }
        if (!awaitEnd()) {
            throw new DeviceException("the resident block on " + accelerator.backend() + ":" + accelerator.ordinal()
                    + " did not end within " + CLOSE_NS / 1_000_000 + " ms of being stopped (launch " + launch + ")");
        }
        CloseHelper.closeAll(Arrays.asList(stream, pinned, atomicResult));
    }
}
