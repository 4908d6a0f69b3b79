package org.pgas4j.helper.resident;

import static org.pgas4j.helper.resident.ResidentLayout.ANSWERS;
import static org.pgas4j.helper.resident.ResidentLayout.HEADER_WORDS;
import static org.pgas4j.helper.resident.ResidentLayout.INLINE_BYTES;
import static org.pgas4j.helper.resident.ResidentLayout.OP_GET;
import static org.pgas4j.helper.resident.ResidentLayout.OP_PUT;
import static org.pgas4j.helper.resident.ResidentLayout.PARKED;
import static org.pgas4j.helper.resident.ResidentLayout.REQUESTS;
import static org.pgas4j.helper.resident.ResidentLayout.SLOT_BYTES;
import static org.pgas4j.helper.resident.ResidentLayout.STAGING;
import static org.pgas4j.helper.resident.ResidentLayout.STARTED;
import static org.pgas4j.helper.resident.ResidentLayout.STOP;
import static org.pgas4j.helper.resident.ResidentLayout.WORD_DATA;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;
import org.pgas4j.AtomicOp;
import org.pgas4j.device.AtomicWords;
import org.pgas4j.device.host.HostDeviceMemory;

/**
 * The resident block on the host device: a thread that polls the same memory as the block of a GPU, and parks where that
 * spins.
 */
final class ResidentLoop {

    private static final int SPINS = 100;
    private static final int YIELDS = 200;
    private static final long PARK_NS = 50_000;
    private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle().withInvokeExactBehavior();
    private static final VarHandle HALF = ValueLayout.JAVA_INT.varHandle().withInvokeExactBehavior();

    private final MemorySegment area;
    private final MemorySegment memory = HostDeviceMemory.everything();
    private final long launch;
    private final long idleNs;
    private final long endNs;
    private final int stagingBytes;
    private long next;

    ResidentLoop(MemorySegment area, long first, long launch, long idleNs, long lifeNs, int stagingBytes) {
        this.area = area;
        this.next = first;
        this.launch = launch;
        this.idleNs = idleNs;
        this.endNs = System.nanoTime() + lifeNs;
        this.stagingBytes = stagingBytes;
    }

    /** Serves until the block has to end. */
    void run() {
        store(STARTED, launch);
        long lastNs = System.nanoTime();
        int idle = 0;
        while (true) {
            boolean come = hasCome();
            long nowNs = System.nanoTime();
            if (load(STOP) == launch || nowNs - endNs > 0 || !come && nowNs - lastNs > idleNs) {
                break;
            }
            if (come) {
                serve();
                next++;
                lastNs = nowNs;
                idle = 0;
            } else {
                pause(idle++);
            }
        }
        store(PARKED, launch); // release: the answers come before the end
    }

    private void pause(int idle) {
        if (idle < SPINS) {
            Thread.onSpinWait();
        } else if (idle < YIELDS) {
            Thread.yield();
        } else {
            LockSupport.parkNanos(this, PARK_NS);
        }
    }

    private long load(long offset) {
        return (long) WORD.getAcquire(area, offset);
    }

    private void store(long offset, long value) {
        WORD.setRelease(area, offset, value);
    }

    private long request(int word) {
        return load(REQUESTS + (long) ResidentLayout.slot(next) * SLOT_BYTES + (long) word * Long.BYTES);
    }

    private boolean hasCome() {
        int tag = ResidentLayout.tag(next);
        long head = request(0);
        if ((int) (head >>> Integer.SIZE) != tag) {
            return false;
        }
        int words = (int) head >>> 8 & 0xff;
        for (int word = 1; word < words; word++) {
            if ((int) (request(word) >>> Integer.SIZE) != tag) {
                return false;
            }
        }
        return true;
    }

    private long pair(int word) {
        return request(word) & 0xffff_ffffL | request(word + 1) << Integer.SIZE;
    }

    private void answer(int word, int data) {
        store(ANSWERS + (long) ResidentLayout.slot(next) * SLOT_BYTES + (long) word * Long.BYTES,
                ResidentLayout.word(data, ResidentLayout.tag(next)));
    }

    private void serve() {
        int head = (int) request(0);
        int op = head & 0xff;
        int bytes = (int) request(1);
        long address = pair(2);
        if (bytes > INLINE_BYTES) {
            copyStaged(op == OP_PUT, address, bytes);
        } else if (op == OP_PUT) {
            put(address, bytes);
        } else if (op == OP_GET) {
            get(address, bytes);
        } else {
            long old = AtomicWords.apply(memory, address, AtomicWords.typeOf(head >>> 16 & 0xff), AtomicOp.ofCode(head >>> 24),
                    pair(HEADER_WORDS), pair(HEADER_WORDS + 2));
            answer(1, (int) old);
            answer(2, (int) (old >>> Integer.SIZE));
        }
        answer(0, 0);
    }

    private void copyStaged(boolean put, long address, int bytes) {
        long staging = STAGING + (long) ResidentLayout.slot(next) * stagingBytes;
        if (put) {
            MemorySegment.copy(area, staging, memory, address, bytes);
        } else {
            MemorySegment.copy(memory, address, area, staging, bytes);
        }
    }

    private static boolean isPaired(long address, int bytes, int done) {
        return address % Long.BYTES == 0 && done % Long.BYTES == 0 && bytes - done >= Long.BYTES;
    }

    private void put(long address, int bytes) {
        for (int done = 0; done < bytes; done += WORD_DATA) {
            int word = HEADER_WORDS + done / WORD_DATA;
            int data = (int) request(word);
            if (isPaired(address, bytes, done)) {
                WORD.setOpaque(memory, address + done, pair(word));
                done += WORD_DATA;
            } else if (bytes - done >= WORD_DATA && address % Integer.BYTES == 0) {
                HALF.setOpaque(memory, address + done, data);
            } else {
                for (int k = 0; k < Math.min(WORD_DATA, bytes - done); k++) {
                    memory.set(ValueLayout.JAVA_BYTE, address + done + k, (byte) (data >> Byte.SIZE * k));
                }
            }
        }
    }

    private void get(long address, int bytes) {
        for (int done = 0; done < bytes; done += WORD_DATA) {
            int word = 1 + done / WORD_DATA;
            if (isPaired(address, bytes, done)) {
                long both = (long) WORD.getOpaque(memory, address + done);
                answer(word, (int) both);
                answer(word + 1, (int) (both >>> Integer.SIZE));
                done += WORD_DATA;
            } else if (bytes - done >= WORD_DATA && address % Integer.BYTES == 0) {
                answer(word, (int) HALF.getOpaque(memory, address + done));
            } else {
                answer(word, bytesAt(address + done, Math.min(WORD_DATA, bytes - done)));
            }
        }
    }

    private int bytesAt(long address, int bytes) {
        int data = 0;
        for (int k = 0; k < bytes; k++) {
            data |= (memory.get(ValueLayout.JAVA_BYTE, address + k) & 0xff) << Byte.SIZE * k;
        }
        return data;
    }
}
