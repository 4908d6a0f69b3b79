package org.pgas4j.kernel.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.management.ManagementFactory;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.Kernel;
import org.pgas4j.device.AcceleratorGraph;
import org.pgas4j.device.AcceleratorStream;
import org.pgas4j.device.StreamEvent;
import org.pgas4j.device.StreamOperation;
import org.pgas4j.kernel.ThreadKernel;

/** A planned launch is given to the stream as it was, and computes nothing. */
class LaunchPlanTest {

    private static final int LAUNCHES = 10_000;

    /** Keeps the last launch. */
    private static final class KeepingStream implements AcceleratorStream {

        private int launches;
        private Object[] arguments;

        @Override
        public void launch(Kernel kernel, Kernel.Shape shape, Object[] args) {
            launches++;
            arguments = args;
        }

        @Override
        public void submit(StreamOperation operation) {
            throw new UnsupportedOperationException();
        }

        @Override
        public AcceleratorGraph capture(Consumer<AcceleratorStream> work) {
            throw new UnsupportedOperationException();
        }

        @Override
        public StreamEvent record() {
            throw new UnsupportedOperationException();
        }

        @Override
        public void await(StreamEvent event) {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean isIdle() {
            return true;
        }

        @Override
        public boolean sync(long deadlineNs) {
            return true;
        }

        @Override
        public int ahead() {
            return 0;
        }

        @Override
        public void close() {
            // has nothing
        }
    }

    /** Counts uses of memory. */
    private static final class CountingQueue implements JavaKernels.Queue {

        private final KeepingStream stream = new KeepingStream();
        private int uses;

        @Override
        public void use(Buffer buffer) {
            uses++;
        }

        @Override
        public AcceleratorStream stream() {
            return stream;
        }

        @Override
        public void sync() {
            // has nothing to wait for
        }
    }

    @Test
    void shouldLaunchAgainWithoutAllocation() {
        var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        try (Arena arena = Arena.ofConfined()) {
            Buffer buffer = Buffer.ofHost(arena.allocate(64, 8), ElementType.DOUBLE);
            Kernel.Shape shape = new Kernel.Shape(2, 64);
            ThreadKernel body = self -> buffer.putDouble(self.global(), 1);
            Object[] arguments = {1L, buffer, 64L, 8L};
            LaunchPlan plan = new LaunchPlan(0, new Kernel("plan", "source", null), shape, arguments, new Buffer[] {buffer})
                    .of(body, shape);
            CountingQueue queue = new CountingQueue();
            launch(plan, queue, body, shape); // loads classes
            long before = threads.getCurrentThreadAllocatedBytes();
            launch(plan, queue, body, shape);
            long allocated = threads.getCurrentThreadAllocatedBytes() - before;
            assertEquals(2 * LAUNCHES, queue.stream.launches);
            assertEquals(2 * LAUNCHES, queue.uses);
            assertSame(arguments, queue.stream.arguments);
            assertTrue(allocated < LAUNCHES, () -> allocated + " bytes for " + LAUNCHES + " launches"); // less than one each
        }
    }

    private static void launch(LaunchPlan plan, CountingQueue queue, ThreadKernel body, Kernel.Shape shape) {
        for (int i = 0; i < LAUNCHES; i++) {
            if (plan.isFor(body, shape)) {
                plan.launch(queue);
            }
        }
    }

    @Test
    void shouldNotServeOtherLambdasAndShapes() {
        Kernel.Shape shape = new Kernel.Shape(2, 64);
        ThreadKernel[] bodies = new ThreadKernel[2];
        for (int i = 0; i < 2; i++) {
            int number = i;
            bodies[i] = self -> assertEquals(number, self.thread());
        }
        LaunchPlan plan = new LaunchPlan(0, new Kernel("plan", "source", null), shape, new Object[0], new Buffer[0]).of(bodies[0], shape);
        assertTrue(plan.isFor(bodies[0], new Kernel.Shape(2, 64)));
        assertFalse(plan.isFor(bodies[1], shape));
        assertFalse(plan.isFor(bodies[0], new Kernel.Shape(2, 32)));
        assertFalse(plan.isFor(bodies[0], shape.withShared(16)));
    }

    @Test
    void shouldKeepTheLastPlans() {
        Kernel.Shape shape = new Kernel.Shape(2, 64);
        ThreadKernel[] bodies = new ThreadKernel[LaunchPlans.MAX + 1];
        LaunchPlan[] made = new LaunchPlan[bodies.length];
        LaunchPlans plans = new LaunchPlans();
        for (int i = 0; i < bodies.length; i++) {
            int number = i;
            bodies[i] = self -> assertEquals(number, self.thread());
            assertSame(null, plans.find(bodies[i], shape));
            made[i] = new LaunchPlan(0, new Kernel("plan", "source", null), shape, new Object[0], new Buffer[0]).of(bodies[i], shape);
            plans.keep(made[i]);
        }

        assertSame(null, plans.find(bodies[0], shape));
        for (int i = 1; i < bodies.length; i++) {
            assertSame(made[i], plans.find(bodies[i], new Kernel.Shape(2, 64)));
            assertSame(null, plans.find(bodies[i], new Kernel.Shape(4, 64)));
        }
    }
}
