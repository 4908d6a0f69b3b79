package org.pgas4j.collective;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.MemoryKind;
import org.pgas4j.space.PlainRanks;
import org.pgas4j.space.memory.Peer;

@Timeout(20)
class GivenMemoryTest {

    private static GivenMemory host(Peer self, MemorySegment memory) {
        return GivenMemory.of("test", self, Buffer.ofHost(memory, ElementType.BYTE));
    }

    @Test
    void shouldKnowSharedMemory() {
        try (PlainRanks all = new PlainRanks(2); Arena arena = Arena.ofConfined()) {
            Peer self = all.peers(1).get(1);
            MemorySegment heap = self.endpoint().mapped();

            GivenMemory shared = host(self, heap.asSlice(self.heapStart() + 256, 100));
            assertTrue(shared.isShared());
            assertEquals(Group.place(MemoryKind.HOST, 256), shared.place());
            assertEquals(256, Group.offset(shared.place()));
            assertFalse(host(self, heap.asSlice(0, 64)).isShared(), "the control area is not the heap");
            assertFalse(host(self, arena.allocate(64)).isShared());
            assertFalse(host(self, MemorySegment.ofArray(new byte[64])).isShared());
            assertTrue(host(self, MemorySegment.ofArray(new byte[0])).isShared(), "no bytes are anywhere");

            GivenMemory device = GivenMemory.of("test", self,
                    Buffer.ofDevice(self.device(), self.deviceOffset() + 512, ElementType.INT, 3));
            assertEquals(Group.place(MemoryKind.DEVICE, 512), device.place());
            assertEquals(MemoryKind.DEVICE, Group.kind(device.place()));
            assertFalse(device.overlaps(shared));
        }
    }

    @Test
    void shouldSeeMemoryThatOverlaps() {
        try (PlainRanks all = new PlainRanks(1); Arena arena = Arena.ofConfined()) {
            Peer self = all.peers(0).get(0);
            MemorySegment outside = arena.allocate(100);
            MemorySegment array = MemorySegment.ofArray(new byte[100]);
            for (MemorySegment memory : new MemorySegment[] {outside, array}) {
                GivenMemory first = host(self, memory.asSlice(0, 50));
                assertTrue(first.overlaps(host(self, memory.asSlice(49, 10))));
                assertFalse(first.overlaps(host(self, memory.asSlice(50, 10))));
                assertTrue(host(self, memory.asSlice(20, 10)).startsAt(first, 20));
                assertFalse(host(self, memory.asSlice(20, 10)).startsAt(first, 0));
            }
            assertFalse(host(self, array).overlaps(host(self, MemorySegment.ofArray(new byte[100]))));
        }
    }
}
