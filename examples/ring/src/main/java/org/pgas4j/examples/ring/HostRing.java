package org.pgas4j.examples.ring;

import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.Kernel;
import org.pgas4j.Rank;
import org.pgas4j.Scope;
import org.pgas4j.SharedPointer;
import org.pgas4j.Window;

/** The ranks pass the token on: their hosts, with or without a device, or their streams. */
final class HostRing implements Way {

    private static final int TAG = 1;
    private static final Kernel.Shape ONE = new Kernel.Shape(1, 1);
    private static final Kernel ADD_ONE = new Kernel("ring_add_one", """
            extern "C" __global__ void ring_add_one(int *token) {
                ++*token;
            }
            """, (_, args) -> Token.addOne(args.segment(0)));

    /** The three things that are done with the token. */
    private interface Hands {

        void await();

        void addOne();

        void passOn();
    }

    private final Rank rank;
    private final Settings settings;
    private final SharedPointer pointer;
    private final Buffer memory;
    private final Window window;
    private final int next;
    private final Hands hands;

    HostRing(Rank rank, Settings settings) {
        this.rank = rank;
        this.settings = settings;
        try (Scope _ = settings.style() == Style.CPU ? rank.offDevice() : rank.onDevice()) {
            this.pointer = rank.alloc(settings.bytes());
        }
        this.memory = rank.memory().local(pointer, ElementType.BYTE, settings.bytes());
        this.window = rank.createWindow(rank.world(), pointer, settings.bytes());
        this.next = (rank.rank() + 1) % rank.ranks();
        this.hands = settings.style() == Style.STREAM ? new Queued() : new AtOnce();
    }

    @Override
    public Buffer memory() {
        return memory;
    }

    @Override
    public long hops() {
        return (long) settings.rounds() * rank.ranks();
    }

    @Override
    public void turn() {
        boolean first = rank.rank() == 0;
        for (int round = 0; round < settings.rounds(); round++) {
            if (!first) {
                hands.await();
            }
            hands.addOne();
            hands.passOn();
            if (first) {
                hands.await();
            }
        }
        rank.stream().sync();
        window.flush();
    }

    @Override
    public void free() {
        window.close();
        rank.free(pointer);
    }

    /** The host waits, adds one, here or on its device, and puts. */
    private final class AtOnce implements Hands {

        @Override
        public void await() {
            rank.notifications().await(TAG, 1);
        }

        @Override
        public void addOne() {
            if (settings.style() == Style.CPU) {
                Token.addOne(memory.segment());
            } else {
                rank.stream().launch(ADD_ONE, ONE, memory);
                rank.stream().sync();
            }
        }

        @Override
        public void passOn() {
            window.putNotify(next, 0, memory, TAG);
        }
    }

    /** The host queues all three and is done. */
    private final class Queued implements Hands {

        @Override
        public void await() {
            rank.stream().awaitNotifications(TAG, 1);
        }

        @Override
        public void addOne() {
            rank.stream().launch(ADD_ONE, ONE, memory);
        }

        @Override
        public void passOn() {
            rank.stream().putNotify(window, next, 0, memory, TAG);
        }
    }
}
