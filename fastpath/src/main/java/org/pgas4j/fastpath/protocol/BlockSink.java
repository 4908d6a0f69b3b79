package org.pgas4j.fastpath.protocol;

import java.lang.foreign.MemorySegment;

/** Receives what the blocks of peers send to the blocks of a rank. Called by the port's current owner. */
@FunctionalInterface
public interface BlockSink {

    /** Commands of one message, and how far they are done: of each pair one, whose further state is the sink's own. */
    final class Commands {

        /** The sink waits for nothing. */
        public static final long NOTHING = -1;

        private MemorySegment memory;
        private long start;
        private int length;
        private int done;
        private long awaited = NOTHING;

        /** Commands of memory of the caller's own. */
        public static Commands of(MemorySegment memory, long at, int bytes) {
            Commands commands = new Commands();
            commands.begin(memory, at, bytes);
            return commands;
        }

        void begin(MemorySegment in, long at, int bytes) {
            memory = in;
            start = at;
            length = bytes;
        }

        void end() {
            done = 0;
            awaited = NOTHING; // by blocks that were closed meanwhile
        }

        /** Memory with the message. */
        public MemorySegment memory() {
            return memory;
        }

        /** Place of the next command. */
        public long next() {
            return start + done;
        }

        /** Bytes of the commands that are left. */
        public int left() {
            return length - done;
        }

        /** Number for which the sink waits before the next command, or {@link #NOTHING}. */
        public long awaited() {
            return awaited;
        }

        /** Keeps a number for the sink. */
        public void expect(long number) {
            awaited = number;
        }

        /** Goes on behind a command of so many bytes. */
        public void advance(int bytes) {
            done += bytes;
        }
    }

    /**
     * Carries out commands, after everything sent before them on the same pair; advances behind each that is done.
     *
     * @param team     number of the blocks
     * @param commands what is left of them when it returns cannot be done yet; the port tries again
     * @throws IllegalStateException if there are no such blocks, or a command is none
     */
    void take(int team, Commands commands);
}
