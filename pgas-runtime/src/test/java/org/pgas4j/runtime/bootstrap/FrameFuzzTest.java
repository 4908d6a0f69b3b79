package org.pgas4j.runtime.bootstrap;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.TooLongFrameException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class FrameFuzzTest {

    private static final int FRAMES = 100_000;
    private static final long SEED = 4711;

    private final JobSecret secret = JobSecret.random();
    private final List<String> events = new ArrayList<>();

    private static List<Message> samples() {
        return List.of(new Message.Gather("heaps-1", 1, new byte[] {1, 2, 3}),
                new Message.Call(7, 0, 1, 4, new byte[] {9}),
                new Message.Reply(7, 1, 0, true, new byte[0]),
                new Message.Failed(new Abort(1, "node pid 3 rank 1", "barrier", "it broke", 13, true)),
                new Message.Goodbye(), new Message.Left(1), new Message.Heartbeat(),
                new Message.Shares("ports-1", List.of(new Message.Share(0, new byte[] {5, 6}),
                        new Message.Share(1, new byte[0]))));
    }

    @Test
    void shouldReadWhatItWrites() {
        for (Message message : samples()) {
            for (int maxFrame : new int[] {3, 10, Message.MAX_FRAME}) {
                EmbeddedChannel channel = decoder(1 << 16, new Failures());
                ByteBuf bytes = Message.encode(message, maxFrame);
                while (bytes.isReadable()) { // byte by byte
                    channel.writeInbound(bytes.readBytes(1));
                }

                Message read = channel.readInbound();
                assertArrayEquals(ByteBufUtil.getBytes(Message.encode(message)),
                        ByteBufUtil.getBytes(Message.encode(read)));
                channel.finishAndReleaseAll();
            }
        }
    }

    @Test
    void shouldAnswerMutatedFramesWithProtocolExceptionsOnly() {
        Random random = new Random(SEED);
        List<byte[]> recorded = samples().stream().map(m -> ByteBufUtil.getBytes(Message.encode(m))).toList();
        int refused = 0;
        for (int i = 0; i < FRAMES; i++) {
            byte[] bytes = mutate(recorded.get(random.nextInt(recorded.size())), recorded, random);
            Failures failures = new Failures();
            EmbeddedChannel channel = decoder(1 << 16, failures);
            channel.writeInbound(Unpooled.wrappedBuffer(bytes, recorded.get(random.nextInt(recorded.size()))));
            if (failures.first != null) {
                Throwable cause = failures.first.getCause() == null ? failures.first : failures.first.getCause();
                assertTrue(cause instanceof ProtocolException || cause instanceof DecoderException, () ->
                        "seed " + SEED + " frame " + Arrays.toString(bytes) + ": " + cause);
                refused++;
            }
            channel.finishAndReleaseAll();
        }
        assertTrue(refused > FRAMES / 4, "only " + refused + " refused: the fuzzer does not bite");
    }

    @Test
    void shouldNotChangeTheJobForMutatedHandshakes() {
        Random random = new Random(SEED);
        JobState job = job();
        Identity identity = Identity.ofJvm("job", 0, new ProcessLayout(2, 2));
        byte[] hello = RawClient.frame(Identity.hello(Identity.VERSION));
        for (int i = 0; i < FRAMES / 10; i++) {
            EmbeddedChannel channel = new EmbeddedChannel();
            Coordinator.prepare(channel.pipeline(), job, null, CoordinatorOptions.loopback());
            channel.pipeline().fireChannelActive();
            channel.writeInbound(Unpooled.wrappedBuffer(hello));
            ByteBuf challenge = channel.readOutbound();
            byte[] nonce = ByteBufUtil.getBytes(challenge, Integer.BYTES + 1, Identity.NONCE_BYTES);
            byte[] good = RawClient.proofFrame(secret, nonce, identity);
            byte[] bad = mutate(good, List.of(good, hello), random);
            if (!Arrays.equals(good, Arrays.copyOf(bad, good.length))) {
                channel.writeInbound(Unpooled.wrappedBuffer(bad));
            }
            channel.finishAndReleaseAll();
        }
        assertEquals(List.of(), events);
    }

    @Test
    void shouldRefuseFramesAndMessagesThatAreTooLong() {
        Failures failures = new Failures();
        decoder(1 << 16, failures).writeInbound(Unpooled.buffer().writeIntLE(Message.MAX_FRAME + 1));
        assertInstanceOf(TooLongFrameException.class, failures.first);
        Failures ofChunks = new Failures();
        EmbeddedChannel chunks = decoder(1_000, ofChunks);
        byte[] part = new byte[602];
        part[0] = Message.Gather.TYPE;
        part[1] = Message.FLAG_MORE;
        chunks.writeInbound(Unpooled.wrappedBuffer(RawClient.frame(part)));
        assertNull(ofChunks.first);
        chunks.writeInbound(Unpooled.wrappedBuffer(RawClient.frame(part)));
        assertInstanceOf(ProtocolException.class, ofChunks.first.getCause() == null ? ofChunks.first
                : ofChunks.first.getCause());
    }

    private static byte[] mutate(byte[] bytes, List<byte[]> others, Random random) {
        byte[] mutated = bytes.clone();
        switch (random.nextInt(5)) {
            case 0 -> mutated[random.nextInt(mutated.length)] ^= (byte) (1 << random.nextInt(8));
            case 1 -> mutated[random.nextInt(mutated.length)] = (byte) random.nextInt();
            case 2 -> mutated = Arrays.copyOf(mutated, random.nextInt(mutated.length));
            case 3 -> {
                byte[] other = others.get(random.nextInt(others.size()));
                int cut = random.nextInt(Math.min(mutated.length, other.length));
                System.arraycopy(other, cut, mutated, cut, Math.min(mutated.length, other.length) - cut);
            }
            default -> {
                mutated = new byte[1 + random.nextInt(64)];
                random.nextBytes(mutated);
            }
        }
        return mutated;
    }

    /** Takes what a channel reports, as the connection's last handler would. */
    private static final class Failures extends ChannelInboundHandlerAdapter {

        private Throwable first;

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            first = first == null ? cause : first;
        }
    }

    private static EmbeddedChannel decoder(int maxMessage, Failures failures) {
        return new EmbeddedChannel(MessageDecoder.frames(Message.MAX_FRAME), new MessageDecoder(maxMessage), failures);
    }

    private JobState job() {
        return new JobState(secret, "job", new ProcessLayout(2, 2), Identity.thisBuild(), new Coordinator.Listener() {
            @Override
            public void joined(int process) {
                events.add("joined");
            }

            @Override
            public void left(int process) {
                events.add("left");
            }

            @Override
            public void disconnected(int process) {
                events.add("disconnected");
            }

            @Override
            public void broken(int process, String why) {
                events.add("broken");
            }

            @Override
            public void aborted(Abort cause) {
                events.add("aborted");
            }
        }, new RefusalLog(_ -> { }));
    }
}
