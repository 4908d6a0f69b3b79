package org.pgas4j.runtime;

import org.pgas4j.Buffer;
import org.pgas4j.ExceptionalExit;
import org.pgas4j.ReduceOp;
import org.pgas4j.Stream;
import org.pgas4j.StreamCollectives;
import org.pgas4j.Team;
import org.pgas4j.collective.QueuedCollectives;

/** A rank's collective operations of a team on its streams. Used by the rank's thread. */
final class RankStreamCollectives implements StreamCollectives {

    private final QueuedCollectives operations;
    private final Team team;
    private final Runnable free;
    private boolean closed;

    /** @param free runs after a barrier of the team */
    RankStreamCollectives(QueuedCollectives operations, Team team, Runnable free) {
        this.operations = operations;
        this.team = team;
        this.free = free;
    }

    private QueuedCollectives open() {
        if (closed) {
            throw new IllegalStateException("collective operations on streams of " + team + " are closed");
        }
        return operations;
    }

    @Override
    public void barrier(Stream stream) {
        open().barrier(RankStream.own(stream).collective());
    }

    @Override
    public void broadcast(Stream stream, Buffer buffer, int root) {
        open().broadcast(RankStream.own(stream).collective(buffer), buffer, root);
    }

    @Override
    public void allGather(Stream stream, Buffer dst, Buffer src) {
        open().allGather(RankStream.own(stream).collective(dst, src), dst, src);
    }

    @Override
    public void exchange(Stream stream, Buffer dst, Buffer src) {
        open().exchange(RankStream.own(stream).collective(dst, src), dst, src);
    }

    @Override
    public void allReduce(Stream stream, Buffer dst, Buffer src, ReduceOp op) {
        open().allReduce(RankStream.own(stream).collective(dst, src), dst, src, op);
    }

    @Override
    public void reduceScatter(Stream stream, Buffer dst, Buffer src, ReduceOp op) {
        open().reduceScatter(RankStream.own(stream).collective(dst, src), dst, src, op);
    }

    @Override
    public void scatter(Stream stream, Buffer dst, Buffer src, int root) {
        open().scatter(RankStream.own(stream).collective(dst, src), dst, src, root);
    }

    @Override
    public void gather(Stream stream, Buffer dst, Buffer src, int root) {
        open().gather(RankStream.own(stream).collective(dst, src), dst, src, root);
    }

    @Override
    public void reduce(Stream stream, Buffer dst, Buffer src, ReduceOp op, int root) {
        open().reduce(RankStream.own(stream).collective(dst, src), dst, src, op, root);
    }

    @Override
    public void scan(Stream stream, Buffer dst, Buffer src, ReduceOp op) {
        open().scan(RankStream.own(stream).collective(dst, src), dst, src, op);
    }

    @Override
    public String explain() {
        return open().explain();
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            if (!ExceptionalExit.isTaken()) {
                team.barrier();
                try {
                    operations.compare();
                } finally {
                    team.barrier(); // no member reads the journal of another one any more
                    operations.close();
                    free.run();
                }
            }
        }
    }
}
