package org.pgas4j.runtime.blocks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.pgas4j.DeviceGrid;
import org.pgas4j.ElementType;
import org.pgas4j.GridProgram;
import org.pgas4j.GridRank;
import org.pgas4j.GridRank.Comm;
import org.pgas4j.KernelException;
import org.pgas4j.Layout;
import org.pgas4j.Pgas;
import org.pgas4j.Scope;
import org.pgas4j.SharedBytes;

/** Operations of blocks of the host device after their last call: refused, but for kernels in Java. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class BlockEndTest {

    private enum Operation {
        SIGNAL, NOTIFY_HOST, AVAILABLE, AWAIT_ANY, PUT, GET, PART, VALUE, TIMER, LOG, FLUSH, BARRIER, WINDOW, AWAIT_GETS;

        void of(GridRank self, int window, MemorySegment memory) {
            switch (this) {
                case SIGNAL -> self.signal(Comm.WORLD, 0, 1);
                case NOTIFY_HOST -> self.notifyHost(0, 1);
                case AVAILABLE -> self.availableNotifications(1);
                case AWAIT_ANY -> self.awaitAnyTag(1, 2);
                case PUT -> self.put(window, 0, 0, memory, 8);
                case GET -> self.get(window, 0, 0, memory, 8);
                case PART -> self.ptr(window, 0);
                case VALUE -> self.testValue(window, 0, ElementType.LONG, GridRank.Comparison.EQUAL, 0);
                case TIMER -> self.startTimer(1);
                case LOG -> self.log("late", 1);
                case FLUSH -> self.flush();
                case BARRIER -> self.barrier(Comm.DEVICE);
                case WINDOW -> self.createWindow(Comm.DEVICE, memory);
                case AWAIT_GETS -> self.awaitGets();
            }
        }
    }

    private static void onOneBlock(GridProgram program, Consumer<DeviceGrid> launched) {
        Pgas.run(BlockFailureTest.config(1), rank -> {
            SharedBytes array;
            try (Scope _ = rank.onDevice()) {
                array = rank.allAllocBytes(Layout.replicated(), 64);
            }
            try (DeviceGrid blocks = rank.createGrid(DeviceGrid.Options.of(1, 32))) {
                blocks.launch(program, array.local());
                launched.accept(blocks);
            }
        });
    }

    /** In CUDA C++ the block's state is stored for the next launch by then. */
    @ParameterizedTest
    @EnumSource(Operation.class)
    void shouldRefuseOperationsAfterTheBlockHasLeft(Operation operation) {
        GridProgram program = new GridProgram("goes on", null, (self, args) -> {
            int window = self.createWindow(Comm.WORLD, args.segment(0));
            self.leave();
            operation.of(self, window, args.segment(0));
        });
        KernelException e = assertThrows(KernelException.class, () -> onOneBlock(program, DeviceGrid::sync));

        IllegalStateException cause = assertInstanceOf(IllegalStateException.class, e.getCause());
        assertEquals("rank 0 block 0: an operation after leave(), which is the last call of a GridProgram", cause.getMessage());
    }

    @ParameterizedTest
    @EnumSource(Operation.class)
    void shouldRefuseOperationsAfterTheProgramHasEnded(Operation operation) {
        AtomicReference<GridRank> kept = new AtomicReference<>();
        onOneBlock(new GridProgram("keeps", null, (self, args) -> {
            self.createWindow(Comm.WORLD, args.segment(0));
            kept.set(self);
        }), blocks -> {
            blocks.sync();
            IllegalStateException e = assertThrows(IllegalStateException.class,
                    () -> operation.of(kept.get(), 0, MemorySegment.ofArray(new long[1])));
            assertEquals("rank 0 block 0: an operation after the end of its program", e.getMessage());
        });
    }

    /** As docs/kernels.md has it. */
    @Test
    void shouldLetAKernelInJavaGoOnAfterItHasLeft() {
        Pgas.run(BlockFailureTest.config(1), rank -> {
            try (DeviceGrid blocks = rank.createGrid(DeviceGrid.Options.of(2, 32))) {
                blocks.launch(self -> {
                    self.leave();
                    self.notifyHost(0, 3);
                });
                rank.notifications().await(3, 2);
                blocks.sync();
            }
        });
    }
}
