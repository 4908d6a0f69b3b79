package org.pgas4j.testkit.contract;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.EnumMap;
import java.util.Map;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.MemoryKind;
import org.pgas4j.Rank;
import org.pgas4j.Scope;
import org.pgas4j.SharedPointer;
import org.pgas4j.testkit.program.Program;

/** A rank's memory of every sort, twice: for sources and for destinations. Making and closing it is collective. */
final class VectorPlaces implements AutoCloseable {

    /** Sorts of memory. */
    enum Place { SHARED_HOST, PRIVATE_HOST, JAVA_ARRAY, SHARED_DEVICE, PRIVATE_DEVICE }

    private record Pair(Buffer source, Buffer destination) {
    }

    private final Rank rank;
    private final Arena arena = Arena.ofConfined();
    private final Map<Place, Pair> pairs = new EnumMap<>(Place.class);
    private final Map<MemoryKind, SharedPointer> shared = new EnumMap<>(MemoryKind.class);
    private final Buffer device;

    VectorPlaces(Rank rank, long bytes) {
        this.rank = rank;
        for (MemoryKind kind : MemoryKind.values()) {
            try (Scope _ = Program.in(rank, kind)) {
                shared.put(kind, rank.allAlloc(rank.ranks(), 2 * bytes));
            }
        }
        this.device = rank.device().alloc(ElementType.BYTE, 2 * bytes);
        put(Place.SHARED_HOST, local(MemoryKind.HOST, bytes), bytes);
        put(Place.PRIVATE_HOST, Buffer.ofHost(arena.allocate(2 * bytes, 8), ElementType.BYTE), bytes);
        MemorySegment array = MemorySegment.ofArray(new long[(int) (2 * bytes / Long.BYTES)]);
        put(Place.JAVA_ARRAY, Buffer.ofHost(array, ElementType.BYTE), bytes);
        put(Place.SHARED_DEVICE, local(MemoryKind.DEVICE, bytes), bytes);
        put(Place.PRIVATE_DEVICE, device, bytes);
    }

    private Buffer local(MemoryKind kind, long bytes) {
        return rank.memory().local(shared.get(kind).onRank(rank.rank()).resetPhase(), ElementType.BYTE, 2 * bytes);
    }

    private void put(Place place, Buffer both, long bytes) {
        pairs.put(place, new Pair(both.slice(0, bytes), both.slice(bytes, bytes)));
    }

    Buffer source(Place place, ElementType type, long count) {
        return typed(pairs.get(place).source(), type, count);
    }

    Buffer destination(Place place, ElementType type, long count) {
        return typed(pairs.get(place).destination(), type, count);
    }

    private static Buffer typed(Buffer bytes, ElementType type, long count) {
        return bytes.kind() == MemoryKind.HOST ? Buffer.ofHost(bytes.segment().asSlice(0, type.bytes(count)), type)
                : Buffer.ofDevice(bytes.deviceMemory(), bytes.deviceOffset(), type, count);
    }

    @Override
    public void close() {
        device.close();
        shared.values().forEach(rank::allFree);
        arena.close();
    }
}
