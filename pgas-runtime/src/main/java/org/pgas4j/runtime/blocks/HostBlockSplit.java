package org.pgas4j.runtime.blocks;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.pgas4j.ElementType;
import org.pgas4j.GridRank.Comm;
import org.pgas4j.GridSplit;
import org.pgas4j.ReduceOp;

/**
 * A split to a member on the host device, over the same memory as the device library's ({@link SplitLayout}). Who puts into a
 * stage has passed the barrier before, so that all have read what was in it two barriers ago. Used by the block's thread.
 */
final class HostBlockSplit implements GridSplit {

    private final HostBlock block;
    private final HostBlockWaits waits;
    private final MemorySegment own;
    private final Comm comm;
    private final int window;
    private final long at; // of its memory in the own segment
    private final long all;
    private final List<Integer> members = new ArrayList<>();
    private int rank = -1;
    private long stage;
    private long epoch;

    /** Collective over {@code comm}. */
    HostBlockSplit(HostBlock block, HostBlockWaits waits, MemorySegment own, Comm comm, int colour, int key, MemorySegment work) {
        this.block = block;
        this.waits = waits;
        this.own = own;
        this.comm = comm;
        this.all = block.ranks(comm);
        this.at = work.address() - own.address();
        block.windows().requireSplit(comm);
        if (work.byteSize() < SplitLayout.bytes(all, 0) || !SplitLayout.isAligned(work.address())) {
            throw waits.fail(BlockFailure.SMALL_SPLIT, -1, SplitLayout.bytes(all, 0), work.byteSize());
        }
        this.window = block.windows().create(comm, work, true);
        own.asSlice(at + SplitLayout.flag(all, 0), all * SplitLayout.FLAG_BYTES).fill((byte) 0);
        long word = (long) colour << Integer.SIZE | Integer.toUnsignedLong(key);
        for (int r = 0; r < all; r++) {
            store(r, SplitLayout.proposal(block.rank(comm)), word);
            store(r, SplitLayout.proposal(block.rank(comm)) + SplitLayout.PROPOSED_BYTES, work.byteSize());
        }
        block.barrier(comm);
        if (colour >= 0) {
            choose(colour);
        }
    }

    private long proposed(int r) {
        return own.get(ValueLayout.JAVA_LONG, at + SplitLayout.proposal(r));
    }

    /** Finds the members of a colour and the stage that all have room for. */
    private void choose(int colour) {
        long least = Long.MAX_VALUE;
        for (int r = 0; r < all; r++) {
            if ((int) (proposed(r) >>> Integer.SIZE) == colour) {
                members.add(r);
                long bytes = at + SplitLayout.proposal(r) + SplitLayout.PROPOSED_BYTES;
                least = Math.min(least, own.get(ValueLayout.JAVA_LONG, bytes));
            }
        }
        members.sort(Comparator.comparing(r -> (int) proposed(r))); // stable: by rank where keys are the same
        rank = members.indexOf(block.rank(comm));
        stage = SplitLayout.stage(all, least);
    }

    /** Stores a word of the split's memory of a block. */
    private void store(int r, long offset, long value) {
        block.storeWord(comm, r, block.windows().place(window, r, 0, 0) + offset, value);
    }

    @Override
    public int rank() {
        return rank;
    }

    @Override
    public int ranks() {
        return members.size();
    }

    @Override
    public int member(int number) {
        return members.get(number);
    }

    @Override
    public void barrier() {
        epoch++;
        for (int r : members) {
            store(r, SplitLayout.flag(all, rank), epoch);
        }
        for (int m = 0; m < members.size(); m++) {
            long flag = at + SplitLayout.flag(all, m);
            waits.await(BlockFailure.LATE_SPLIT, block.worldRank(comm, members.get(m)), epoch,
                    () -> (long) HostPage.LONG.getAcquire(own, flag));
        }
    }

    // ---- collectives

    private long stageAt() {
        return SplitLayout.stages(all) + (epoch & 1) * stage;
    }

    private void begin(int root, long least) {
        if (root < 0 || root >= members.size()) {
            waits.window(-1);
            throw waits.fail(BlockFailure.NO_TARGET, root, members.size(), 0, comm.ordinal(), 0);
        }
        if (stage < least) {
            throw waits.fail(BlockFailure.SMALL_SPLIT, -1, SplitLayout.bytes(all, least), SplitLayout.bytes(all, stage));
        }
    }

    private void requireElement(ElementType type) {
        switch (type) {
            case INT, LONG, FLOAT, DOUBLE -> {
            }
            case BYTE, SHORT, CHAR, HALF, BFLOAT16 -> throw waits.fail(BlockFailure.BAD_TYPE, type.ordinal(), 4, 0);
        }
    }

    private void stage(int member, long offset, MemorySegment src, long from, long bytes) {
        int r = members.get(member);
        block.putAt(comm, r, block.windows().place(window, r, 0, 0) + stageAt() + offset, src.asSlice(from, bytes), bytes);
    }

    /** Ends a round: the stages are there, and the sources may change. */
    private void staged() {
        block.flush();
        barrier();
    }

    @Override
    public void broadcast(int root, MemorySegment data) {
        begin(root, 1);
        for (long done = 0; done < data.byteSize(); done += stage) {
            long part = Math.min(stage, data.byteSize() - done);
            long from = at + stageAt();
            for (int m = 0; m < members.size() && rank == root; m++) {
                if (m != root) {
                    stage(m, 0, data, done, part);
                }
            }
            staged();
            if (rank != root) {
                MemorySegment.copy(own, from, data, done, part);
            }
        }
    }

    @Override
    public void allToAll(MemorySegment dst, MemorySegment src, long bytes) {
        begin(0, SplitLayout.align(1) * members.size());
        long piece = stage / members.size() / SplitLayout.align(1) * SplitLayout.align(1);
        for (long done = 0; done < bytes; done += piece) {
            long part = Math.min(piece, bytes - done);
            long from = at + stageAt();
            for (int m = 0; m < members.size(); m++) {
                stage(m, rank * piece, src, m * bytes + done, part);
            }
            staged();
            for (int m = 0; m < members.size(); m++) {
                MemorySegment.copy(own, from + m * piece, dst, m * bytes + done, part);
            }
        }
    }

    @Override
    public void reduce(int root, MemorySegment dst, MemorySegment src, ElementType type, ReduceOp op) {
        requireElement(type);
        begin(root, (long) members.size() * type.bytes());
        reduce(root, root + 1, rank == root ? members.size() : 0, dst, src, type, op);
    }

    @Override
    public void allReduce(MemorySegment dst, MemorySegment src, ElementType type, ReduceOp op) {
        requireElement(type);
        begin(0, (long) members.size() * type.bytes());
        reduce(0, members.size(), members.size(), dst, src, type, op);
    }

    @Override
    public void scan(MemorySegment dst, MemorySegment src, ElementType type, ReduceOp op) {
        requireElement(type);
        begin(0, (long) members.size() * type.bytes());
        reduce(rank, members.size(), rank + 1, dst, src, type, op);
    }

    /** Members {@code first} to {@code end - 1} get this block's elements; it combines those of the first {@code until}. */
    private void reduce(int first, int end, int until, MemorySegment dst, MemorySegment src, ElementType type, ReduceOp op) {
        int bytes = type.bytes();
        long count = src.byteSize() / bytes;
        long piece = stage / ((long) members.size() * bytes);
        for (long done = 0; done < count; done += piece) {
            long part = Math.min(piece, count - done);
            long from = at + stageAt();
            for (int m = first; m < end; m++) {
                stage(m, rank * piece * bytes, src, done * bytes, part * bytes);
            }
            staged();
            for (long e = 0; e < part && until > 0; e++) {
                Word sum = Word.read(type, own, from + e * bytes);
                for (int m = 1; m < until; m++) {
                    sum = sum.combine(op, Word.read(type, own, from + (m * piece + e) * bytes));
                }
                sum.write(dst, (done + e) * bytes);
            }
        }
    }

    /** An element of a type, as a long or as a double. */
    private record Word(ElementType type, long integer, double real) {

        static Word read(ElementType type, MemorySegment memory, long offset) {
            return switch (type) {
                case INT -> new Word(type, memory.get(ValueLayout.JAVA_INT_UNALIGNED, offset), 0);
                case LONG -> new Word(type, memory.get(ValueLayout.JAVA_LONG_UNALIGNED, offset), 0);
                case FLOAT -> new Word(type, 0, memory.get(ValueLayout.JAVA_FLOAT_UNALIGNED, offset));
                default -> new Word(type, 0, memory.get(ValueLayout.JAVA_DOUBLE_UNALIGNED, offset));
            };
        }

        /** Floats in double and rounded, which for sums and products is the float's own result. */
        Word combine(ReduceOp op, Word with) {
            return switch (type) {
                case INT -> new Word(type, (int) op.apply(integer, with.integer), 0);
                case LONG -> new Word(type, op.apply(integer, with.integer), 0);
                case FLOAT -> new Word(type, 0, (float) op.apply(real, with.real));
                default -> new Word(type, 0, op.apply(real, with.real));
            };
        }

        void write(MemorySegment memory, long offset) {
            switch (type) {
                case INT -> memory.set(ValueLayout.JAVA_INT_UNALIGNED, offset, (int) integer);
                case LONG -> memory.set(ValueLayout.JAVA_LONG_UNALIGNED, offset, integer);
                case FLOAT -> memory.set(ValueLayout.JAVA_FLOAT_UNALIGNED, offset, (float) real);
                default -> memory.set(ValueLayout.JAVA_DOUBLE_UNALIGNED, offset, real);
            }
        }
    }

    @Override
    public void free() {
        block.freeWindow(window);
    }
}
