package org.pgas4j.directory;

import java.lang.classfile.ClassFile;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.invoke.MethodHandles;
import net.openhft.chronicle.bytes.BytesStore;
import net.openhft.chronicle.hash.VanillaGlobalMutableState;
import net.openhft.chronicle.values.Copyable;

/**
 * A Chronicle Map's own counters in its file. Chronicle would generate the source of this class in each JVM and run Java's
 * compiler on it, which takes seconds and prints errors where the JVM ends meanwhile; it takes one of that name where it
 * finds it. Laid out as Chronicle does:
 *
 * <pre>
 * 0 allocatedExtraTierBulks:u24 | 3 firstFreeTierIndex:u40 | 8 extraTiersInUse:u40 | 13 segmentHeadersOffset:u32
 * | 17 dataStoreSize:i64
 * </pre>
 *
 * Little-endian.
 */
public class GlobalMutableState implements VanillaGlobalMutableState, Copyable<VanillaGlobalMutableState> {

    private static final String GENERATED = "VanillaGlobalMutableState$$Native";
    private static final long U24 = (1L << 24) - 1;
    private static final long U32 = (1L << 32) - 1;
    private static final long U40 = (1L << 40) - 1;
    private static final int BULKS = 0;
    private static final int FIRST_FREE_TIER = 3;
    private static final int TIERS_IN_USE = 8;
    private static final int SEGMENT_HEADERS = 13;
    private static final int DATA_STORE = 17;
    private static final int BYTES = 25;

    private static boolean defined;

    private BytesStore<?, ?> store;
    private long offset;

    /** For the class that Chronicle instantiates. */
    protected GlobalMutableState() {
    }

    /** Defines the subclass that Chronicle would otherwise compile; before the first map is made. */
    static synchronized void define() throws IllegalAccessException {
        if (defined) {
            return;
        }
        ClassDesc own = GlobalMutableState.class.describeConstable().orElseThrow();
        byte[] bytes = ClassFile.of().build(ClassDesc.of(VanillaGlobalMutableState.class.getPackageName(), GENERATED), type ->
                type.withFlags(ClassFile.ACC_PUBLIC).withSuperclass(own).withMethodBody(ConstantDescs.INIT_NAME,
                        ConstantDescs.MTD_void, ClassFile.ACC_PUBLIC, code -> code.aload(0)
                                .invokespecial(own, ConstantDescs.INIT_NAME, ConstantDescs.MTD_void).return_()));
        MethodHandles.privateLookupIn(VanillaGlobalMutableState.class, MethodHandles.lookup()).defineClass(bytes);
        defined = true;
    }

    @Override
    public int getAllocatedExtraTierBulks() {
        return (int) get(BULKS, U24);
    }

    @Override
    public void setAllocatedExtraTierBulks(int bulks) {
        set("allocatedExtraTierBulks", BULKS, U24, bulks);
    }

    @Override
    public long getFirstFreeTierIndex() {
        return get(FIRST_FREE_TIER, U40);
    }

    @Override
    public void setFirstFreeTierIndex(long index) {
        set("firstFreeTierIndex", FIRST_FREE_TIER, U40, index);
    }

    @Override
    public long getExtraTiersInUse() {
        return get(TIERS_IN_USE, U40);
    }

    @Override
    public void setExtraTiersInUse(long tiers) {
        set("extraTiersInUse", TIERS_IN_USE, U40, tiers);
    }

    @Override
    public long getSegmentHeadersOffset() {
        return get(SEGMENT_HEADERS, U32);
    }

    @Override
    public void setSegmentHeadersOffset(long at) {
        set("segmentHeadersOffset", SEGMENT_HEADERS, U32, at);
    }

    @Override
    public long getDataStoreSize() {
        return get(DATA_STORE, Long.MAX_VALUE);
    }

    @Override
    public void setDataStoreSize(long size) {
        set("dataStoreSize", DATA_STORE, Long.MAX_VALUE, size);
    }

    @Override
    public long addDataStoreSize(long addition) {
        setDataStoreSize(Math.addExact(getDataStoreSize(), addition));
        return getDataStoreSize();
    }

    /** Eight bytes from a field's first one are all of this state. */
    private long get(int field, long mask) {
        return store.readLong(offset + field) & mask;
    }

    private void set(String name, int field, long mask, long value) {
        if (value < 0 || value > mask) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: 0.." + mask + ")");
        }
        long others = field == DATA_STORE ? 0 : store.readLong(offset + field) & ~mask;
        store.writeLong(offset + field, others | value);
    }

    @Override
    public void copyFrom(VanillaGlobalMutableState from) {
        setAllocatedExtraTierBulks(from.getAllocatedExtraTierBulks());
        setFirstFreeTierIndex(from.getFirstFreeTierIndex());
        setExtraTiersInUse(from.getExtraTiersInUse());
        setSegmentHeadersOffset(from.getSegmentHeadersOffset());
        setDataStoreSize(from.getDataStoreSize());
    }

    @Override
    @SuppressWarnings("rawtypes") // as the interface
    public void bytesStore(BytesStore bytes, long at, long length) {
        if (length != BYTES || at < 0 || at > bytes.capacity() - BYTES) {
            throw new IllegalArgumentException("state of " + length + " bytes at " + at + " of " + bytes.capacity()
                    + " (expected: " + BYTES + ")");
        }
        store = bytes;
        offset = at;
    }

    @Override
    public BytesStore<?, ?> bytesStore() {
        return store;
    }

    @Override
    public long offset() {
        return offset;
    }

    @Override
    public long maxSize() {
        return BYTES;
    }
}
