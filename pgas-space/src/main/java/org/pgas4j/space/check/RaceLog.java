package org.pgas4j.space.check;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.pgas4j.DataRaceException;
import org.pgas4j.MemoryKind;
import org.pgas4j.PgasException;

/** Writes down what it is told, to be told elsewhere. Not thread-safe. */
final class RaceLog implements Races {

    private enum Entry {
        ARRIVES, LEAVES, NOTIFIES, NOTIFIES_LATER, TAKES, TAKES_UNSEEN, NOTIFIES_UNSEEN, VIEWS, USES, ENDED, GIVES, JOINS
    }

    private static final Entry[] ENTRIES = Entry.values();
    private static final MemoryKind[] KINDS = MemoryKind.values();

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final DataOutputStream out = new DataOutputStream(bytes);

    private interface Fields {
        void write() throws IOException;
    }

    private void add(Entry entry, int rank, Fields fields) {
        try {
            out.writeByte(entry.ordinal());
            out.writeInt(rank);
            fields.write();
        } catch (IOException e) {
            throw new UncheckedIOException(e); // nothing a growing array does
        }
    }

    int size() {
        return bytes.size();
    }

    /** Bytes written since the last call. */
    byte[] take() {
        byte[] taken = bytes.toByteArray();
        bytes.reset();
        return taken;
    }

    private void meeting(Meeting meeting) throws IOException {
        out.writeLong(meeting.place());
        out.writeInt(meeting.first());
        out.writeInt(meeting.members());
        out.writeLong(meeting.number());
    }

    private void notification(int target, int tag, boolean value) throws IOException {
        out.writeInt(target);
        tag(tag, value);
    }

    private void tag(int tag, boolean value) throws IOException {
        out.writeInt(tag);
        out.writeBoolean(value);
    }

    @Override
    public void arrives(int rank, Meeting meeting) {
        add(Entry.ARRIVES, rank, () -> meeting(meeting));
    }

    @Override
    public void leaves(int rank, Meeting meeting) {
        add(Entry.LEAVES, rank, () -> meeting(meeting));
    }

    @Override
    public void notifies(int rank, int target, int tag, boolean value) {
        add(Entry.NOTIFIES, rank, () -> notification(target, tag, value));
    }

    @Override
    public void notifiesLater(int rank, int target, int tag, boolean value) {
        add(Entry.NOTIFIES_LATER, rank, () -> notification(target, tag, value));
    }

    @Override
    public void takes(int rank, int tag, boolean value) {
        add(Entry.TAKES, rank, () -> tag(tag, value));
    }

    @Override
    public void gives(int rank, long generation, int target, long from) {
        add(Entry.GIVES, rank, () -> word(generation, target, from));
    }

    @Override
    public void joins(int rank, long generation, int target, long from) {
        add(Entry.JOINS, rank, () -> word(generation, target, from));
    }

    private void word(long generation, int target, long from) throws IOException {
        out.writeLong(generation);
        out.writeInt(target);
        out.writeLong(from);
    }

    @Override
    public void takesUnseen(int rank) {
        add(Entry.TAKES_UNSEEN, rank, () -> { });
    }

    @Override
    public void notifiesUnseen(int rank) {
        add(Entry.NOTIFIES_UNSEEN, rank, () -> { });
    }

    @Override
    public void views(int rank, long generation) {
        add(Entry.VIEWS, rank, () -> out.writeLong(generation));
    }

    @Override
    public void uses(int rank, Use use) {
        add(Entry.USES, rank, () -> {
            out.writeByte(use.kind().ordinal());
            out.writeLong(use.generation());
            out.writeLong(use.start());
            out.writeLong(use.size());
            out.writeInt(use.target());
            out.writeLong(use.from());
            out.writeLong(use.bytes());
            out.writeBoolean(use.write());
            out.writeBoolean(use.flag());
            out.writeUTF(use.what());
        });
    }

    @Override
    public void ended(long generation) {
        add(Entry.ENDED, 0, () -> out.writeLong(generation));
    }

    /**
     * Tells another what was written down, all of it.
     *
     * @param ranks of the job
     * @return the first race that it finds; null if there is none
     * @throws PgasException if the log is malformed
     */
    static DataRaceException replay(byte[] log, int ranks, Races onto) {
        DataRaceException first = null;
        ByteArrayInputStream bytes = new ByteArrayInputStream(log);
        DataInputStream in = new DataInputStream(bytes);
        try {
            while (bytes.available() > 0) {
                Entry entry = one(ENTRIES, in);
                try {
                    replay(entry, rank(in, ranks), in, ranks, onto);
                } catch (DataRaceException e) {
                    first = first == null ? e : first;
                }
            }
        } catch (IOException e) {
            throw new PgasException("log of uses of " + log.length + " bytes is malformed: " + e, e);
        }
        return first;
    }

    private static <E> E one(E[] of, DataInputStream in) throws IOException {
        int number = in.readUnsignedByte();
        if (number >= of.length) {
            throw new IOException("number " + number + " of " + of.length);
        }
        return of[number];
    }

    private static int rank(DataInputStream in, int ranks) throws IOException {
        int rank = in.readInt();
        if (rank < 0 || rank >= ranks) {
            throw new IOException("rank " + rank + " of " + ranks);
        }
        return rank;
    }

    private static Meeting meeting(DataInputStream in, int ranks) throws IOException {
        return new Meeting(in.readLong(), rank(in, ranks), in.readInt(), in.readLong());
    }

    private static void replay(Entry entry, int rank, DataInputStream in, int ranks, Races onto) throws IOException {
        switch (entry) {
            case ARRIVES -> onto.arrives(rank, meeting(in, ranks));
            case LEAVES -> onto.leaves(rank, meeting(in, ranks));
            case NOTIFIES -> onto.notifies(rank, rank(in, ranks), in.readInt(), in.readBoolean());
            case NOTIFIES_LATER -> onto.notifiesLater(rank, rank(in, ranks), in.readInt(), in.readBoolean());
            case TAKES -> onto.takes(rank, in.readInt(), in.readBoolean());
            case TAKES_UNSEEN -> onto.takesUnseen(rank);
            case NOTIFIES_UNSEEN -> onto.notifiesUnseen(rank);
            case VIEWS -> onto.views(rank, in.readLong());
            case USES -> onto.uses(rank, use(in, ranks));
            case ENDED -> onto.ended(in.readLong());
            case GIVES -> onto.gives(rank, in.readLong(), rank(in, ranks), in.readLong());
            case JOINS -> onto.joins(rank, in.readLong(), rank(in, ranks), in.readLong());
        }
    }

    private static Use use(DataInputStream in, int ranks) throws IOException {
        Use use = new Use(one(KINDS, in), in.readLong(), in.readLong(), in.readLong(), rank(in, ranks), in.readLong(),
                in.readLong(), in.readBoolean(), in.readBoolean(), in.readUTF());
        if (use.from() < 0 || use.bytes() <= 0 || use.bytes() > Long.MAX_VALUE - use.from()) {
            throw new IOException("use of " + use.bytes() + " bytes at " + use.from());
        }
        return use;
    }
}
