package org.pgas4j.runtime.blocks;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.charset.StandardCharsets;
import org.pgas4j.kernels.LineFormat;

/** The log of a block of the host device, in lines of the page that its host reads. Used by the block's thread. */
final class HostBlockLog {

    private static final VarHandle LONG = HostPage.LONG;

    private final HostBlock.World world;
    private final int block;
    private final HostBlockWaits waits;

    HostBlockLog(HostBlock.World world, int block, HostBlockWaits waits) {
        this.world = world;
        this.block = block;
        this.waits = waits;
    }

    /** See {@link org.pgas4j.GridRank#log}. */
    void log(String text, double value) {
        log(text, LogFormat.PLAIN | 1 | LogFormat.DOUBLE << LogFormat.FIRST_TYPE, Double.doubleToRawLongBits(value));
    }

    /** See {@link org.pgas4j.GridRank#printf}. */
    void printf(String format, Object... values) {
        if (values.length > HostPage.MAX_LOG_VALUES) {
            throw new IllegalArgumentException("printf of " + values.length + " values (expected: 0.."
                    + HostPage.MAX_LOG_VALUES + ")");
        }
        long types = values.length;
        long[] bits = new long[values.length];
        for (int i = 0; i < values.length; i++) {
            Number value = (Number) LineFormat.number(values[i]);
            types |= (long) type(value) << LogFormat.FIRST_TYPE + LogFormat.TYPE_BITS * i;
            bits[i] = value instanceof Double ? Double.doubleToRawLongBits(value.doubleValue()) : value.longValue();
        }
        log(format, types, bits);
    }

    private static int type(Number value) {
        return value instanceof Integer ? LogFormat.INT : value instanceof Long ? LogFormat.LONG : LogFormat.DOUBLE;
    }

    private void log(String text, long types, long... values) {
        waits.requireOperations();
        HostPage page = world.page();
        long index = claimLine(page);
        if (index < 0) {
            return;
        }
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        int length = Math.min(bytes.length, HostPage.MAX_LOG_TEXT);
        long at = HostPage.LOG + index % HostPage.LOG_ENTRIES * HostPage.LOG_BYTES;
        MemorySegment.copy(bytes, 0, page.memory(), ValueLayout.JAVA_BYTE, at + HostPage.LOG_TEXT, length);
        page.set(at + HostPage.LOG_LENGTH_BLOCK, (long) length << 32 | block);
        page.set(at + HostPage.LOG_TYPES, types);
        for (int i = 0; i < values.length; i++) {
            page.set(at + HostPage.LOG_VALUES + (long) i * Long.BYTES, values[i]);
        }
        page.set(at, index + 1);
    }

    /** Returns the number of a free line; -1 if there is none, and the loss is counted. */
    private long claimLine(HostPage page) {
        long tail = world.area() + BlockLayout.LOG_TAIL;
        while (true) {
            long index = (long) LONG.getAcquire(world.ownSegment(), tail);
            if (index - page.get(HostPage.LOG_HEAD) >= HostPage.LOG_ENTRIES) {
                LONG.getAndAdd(page.memory(), (long) HostPage.LOG_DROPPED, 1L);
                return -1;
            }
            if (LONG.compareAndSet(world.ownSegment(), tail, index, index + 1)) {
                return index;
            }
        }
    }
}
