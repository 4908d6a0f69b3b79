package org.pgas4j.examples.ring;

import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.Kernel;
import org.pgas4j.Rank;
import org.pgas4j.Scope;
import org.pgas4j.SharedPointer;
import org.pgas4j.Stream;
import org.pgas4j.Window;
import org.pgas4j.examples.ring.Ring.RingStyle;
import org.pgas4j.kernel.ThreadKernel;

/** The ranks pass the token on: their hosts, with or without a device, or their streams. */
final class HostRing extends Token {

    private static final int TAG = 1;
    private static final Kernel.Shape ONE = new Kernel.Shape(1, 1);

    private final RingStyle style;
    private final SharedPointer pointer;
    private final Buffer memory;
    private final Window window;
    private final ThreadKernel addOne;

    /** Collective. */
    HostRing(Rank rank, int bytes, int rounds, RingStyle style) {
        super(rank, bytes, rounds);
        this.style = style;
        try (Scope _ = style == RingStyle.CPU ? rank.offDevice() : rank.onDevice()) {
            this.pointer = rank.alloc(bytes);
        }
        this.memory = rank.memory().local(pointer, ElementType.BYTE, bytes);
        this.window = rank.createWindow(rank.world(), pointer, bytes);
        Buffer token = memory;
        this.addOne = _ -> token.putInt(0, token.getInt(0) + 1);
    }

    @Override
    public void run() {
        boolean first = rank.rank() == 0;
        for (int round = 0; round < rounds; round++) {
            if (!first) {
                await();
            }
            addOneAndPassOn((rank.rank() + 1) % rank.ranks());
            if (first) {
                await();
            }
        }
        rank.stream().sync();
        window.flush();
    }

    private void await() {
        if (style == RingStyle.STREAM) {
            rank.stream().awaitNotifications(TAG, 1);
        } else {
            rank.notifications().await(TAG, 1);
        }
    }

    private void addOneAndPassOn(int next) {
        Stream stream = rank.stream();
        switch (style) {
            case STREAM -> {   // the host queues it and is done
                stream.launch(ONE, addOne);
                stream.putNotify(window, next, 0, memory, TAG);
            }
            case CPU -> {
                addOne(memory.segment());
                window.putNotify(next, 0, memory, TAG);
            }
            default -> {
                stream.launch(ONE, addOne);
                stream.sync();
                window.putNotify(next, 0, memory, TAG);
            }
        }
    }

    @Override
    Buffer memory() {
        return memory;
    }

    @Override
    long hops() {
        return (long) rounds * rank.ranks();
    }

    @Override
    public void close() {
        window.close();
        rank.free(pointer);
    }
}
