package org.pgas4j.space.check;

import org.pgas4j.DataRaceException;
import org.pgas4j.Lease;
import org.pgas4j.MemoryKind;

/**
 * Is told what ranks do that orders them, and what memory they use. Calls for one rank come in the order of what it does. Any
 * thread.
 */
interface Races {

    /**
     * Records a meeting of ranks.
     *
     * @param place   and {@code first}, the first member, tell meetings that are on at once from each other
     * @param members how many
     * @param number  counts meetings of a place
     */
    record Meeting(long place, int first, int members, long number) {
    }

    /**
     * A use of shared memory.
     *
     * @param generation of the allocation, which has {@code size} bytes at {@code start} of each segment it is in
     * @param target     whose part
     * @param from       byte offset in the target's segment
     * @param flag       a word that is put behind a fence
     * @param what       the operation and its line, as {@code "put at Main.java:12"}
     */
    record Use(MemoryKind kind, long generation, long start, long size, int target, long from, long bytes, boolean write,
               boolean flag, String what) {

        static Use of(Lease lease, int target, long from, long bytes, boolean write, boolean flag, String what) {
            return new Use(lease.kind(), lease.generation(), lease.start(), lease.bytes(), target, from, bytes, write, flag,
                    what);
        }

        /** An aligned word of 8 bytes of host memory: it is read and written whole. */
        static boolean isWord(MemoryKind kind, long from, long bytes) {
            return kind == MemoryKind.HOST && bytes == Long.BYTES && from % Long.BYTES == 0;
        }

        boolean word() {
            return isWord(kind, from, bytes);
        }
    }

    void arrives(int rank, Meeting meeting);

    void leaves(int rank, Meeting meeting);

    void notifies(int rank, int target, int tag, boolean value);

    void notifiesLater(int rank, int target, int tag, boolean value);

    void takes(int rank, int tag, boolean value);

    /** Before an atomic operation on a word: those whose operations follow it come after what the rank has done. */
    void gives(int rank, long generation, int target, long from);

    /** After an atomic operation on a word: the rank comes after those whose operations it follows. */
    void joins(int rank, long generation, int target, long from);

    void takesUnseen(int rank);

    void notifiesUnseen(int rank);

    /** The rank's program may look at its part of an allocation without a call. */
    void views(int rank, long generation);

    /**
     * The rank uses memory.
     *
     * @throws DataRaceException if nothing orders it, or what the rank did before, with another rank's use
     */
    void uses(int rank, Use use);

    /** Nobody can use an allocation any more. */
    void ended(long generation);
}
