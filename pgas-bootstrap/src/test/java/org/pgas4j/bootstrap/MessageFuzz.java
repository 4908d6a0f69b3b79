package org.pgas4j.bootstrap;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Damaged frames through the decoder into the state of a job, without sockets: what a member sends, and what the
 * coordinator above sends to a node's. Whatever is not answered with a {@link ProtocolException} ends it. One thread.
 */
final class MessageFuzz {

    private static final int PER_JOB = 1_000;
    private static final int MAX_MESSAGE = 1 << 16;

    /**
     * @param frames    fed
     * @param taken     messages that were understood and done
     * @param refused   frames answered with a ProtocolException
     * @param slowestNs of {@value #PER_JOB} frames
     */
    record Result(long frames, long taken, long refused, long slowestNs) {
    }

    private final long seed;
    private final Mutator mutator;
    private final List<byte[]> recorded;
    private final List<Object> decoded = new ArrayList<>();
    private final ByteBuf frame = Unpooled.buffer(1 << 12);
    private long taken;
    private long refused;

    MessageFuzz(long seed) {
        this.seed = seed;
        this.mutator = new Mutator(seed);
        this.recorded = samples().stream().map(message -> {
            byte[] bytes = ByteBufUtil.getBytes(Message.encode(message));
            return Arrays.copyOfRange(bytes, Integer.BYTES, bytes.length);
        }).toList();
    }

    /** One of each kind, and some at their limits. */
    static List<Message> samples() {
        return List.of(new Message.Gather("heaps-1", 1, new byte[] {1, 2, 3}),
                new Message.Gather("k".repeat(Message.MAX_KEY), 1, new byte[0]),
                new Message.Call(7, 0, 1, 4, true, new byte[] {9}),
                new Message.Call(Long.MAX_VALUE, 1, 1, -1, false, new byte[0]),
                new Message.Reply(7, 1, 0, Message.Outcome.ANSWERED, new byte[0]),
                new Message.Failed(new Abort(1, "node pid 3 rank 1", Phase.BARRIER, "it broke", 13, true)),
                new Message.Failed(new Abort(0, "n".repeat(Message.MAX_TEXT / 4), new Phases(List.of(
                        new Phases.OfRank(Phase.PROGRAM, 2), new Phases.OfRank(Phase.WAITING, 3))), "m", 255, false)),
                new Message.Leave(), new Message.Left(1), new Message.Heartbeat(),
                new Message.Lost(1, 2, new Abort(2, "node pid 3 rank 2", Phase.PROGRAM, "it is gone", 137, true)),
                new Message.Shares("ports-1", List.of()),
                new Message.Shares("ports-1", List.of(new Message.Share(0, new byte[] {5, 6}),
                        new Message.Share(1, new byte[0]))));
    }

    /** @throws AssertionError with seed and bytes if something else than a ProtocolException came out */
    Result run(long frames) {
        long slowest = 0;
        for (long done = 0; done < frames; done += PER_JOB) {
            long start = System.nanoTime();
            boolean fromAbove = mutator.below(4) == 0;
            job((int) Math.min(PER_JOB, frames - done), fromAbove, mutator.below(64) == 0);
            slowest = Math.max(slowest, System.nanoTime() - start);
        }
        return new Result(frames, taken, refused, slowest);
    }

    /** @param connected true to let the job answer, which costs more than all else here */
    private void job(int frames, boolean fromAbove, boolean connected) {
        JobState job = new JobState(JobSecret.random(), "job", new ProcessLayout(3, 6), 0, 0, fromAbove ? 2 : 3,
                new Coordinator.Listener() { }, new RefusalLog(_ -> { }), true);
        EmbeddedChannel channel = new EmbeddedChannel();
        Member[] members = {member(0, 0, channel), member(1, 3, channel)}; // a JVM, and a node
        for (Member member : members) {
            job.joined(member);
        }
        if (!connected) {
            channel.close();
        }
        MessageDecoder decoder = new MessageDecoder(MAX_MESSAGE);
        for (int i = 0; i < frames; i++) {
            byte[] bytes = mutator.mutate(mutator.any(recorded), recorded);
            frame.clear().writeBytes(bytes);
            decoded.clear();
            try {
                decoder.decode(null, frame, decoded);
                for (Object message : decoded) {
                    if (fromAbove) {
                        job.fromAbove((Message) message);
                    } else {
                        job.received(members[i & 1], (Message) message);
                    }
                    taken++;
                }
            } catch (ProtocolException _) {
                refused++;
                decoder = new MessageDecoder(MAX_MESSAGE); // a connection ends with the first
            } catch (RuntimeException | Error e) {
                throw new AssertionError("seed " + seed + ", " + (fromAbove ? "from above" : "from a member")
                        + ", frame " + Arrays.toString(bytes), e);
            }
            if (connected) {
                channel.releaseOutbound();
            }
        }
        channel.finishAndReleaseAll();
    }

    private static Member member(int process, int end, EmbeddedChannel channel) {
        return new Member(new Identity("job", process, end, 3, 6, 0, new byte[Identity.NONCE_BYTES], "here"), channel);
    }
}
