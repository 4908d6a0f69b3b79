package org.pgas4j.bootstrap;

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
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.pgas4j.PgasException;

@Timeout(120)
@Tag("slow")
class FrameFuzzTest {

    private static final int FRAMES = 100_000;
    private static final long SEED = 4711;

    private final JobSecret secret = JobSecret.random();
    private final List<String> events = new ArrayList<>();

    @Test
    void shouldReadWhatItWrites() {
        for (Message message : MessageFuzz.samples()) {
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
        Mutator mutator = new Mutator(SEED);
        List<byte[]> recorded = MessageFuzz.samples().stream().map(m -> ByteBufUtil.getBytes(Message.encode(m))).toList();
        int refused = 0;
        for (int i = 0; i < FRAMES; i++) {
            byte[] bytes = mutator.mutate(mutator.any(recorded), recorded);
            Failures failures = new Failures();
            EmbeddedChannel channel = decoder(1 << 16, failures);
            channel.writeInbound(Unpooled.wrappedBuffer(bytes, mutator.any(recorded)));
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
    void shouldAnswerDamagedMessagesWithProtocolExceptionsOnly() {
        MessageFuzz.Result result = new MessageFuzz(SEED).run(FRAMES);

        assertTrue(result.refused() > FRAMES / 4, () -> "the fuzzer does not bite: " + result);
        assertTrue(result.taken() > FRAMES / 10, () -> "the fuzzer bites too much to reach the job: " + result);
    }

    @Test
    void shouldNotChangeTheJobForAHandshakeCutAnywhereOrSpliced() {
        JobState job = job();
        Identity identity = Identity.ofJvm("job", 0, new ProcessLayout(2, 2));
        byte[] hello = RawClient.frame(Identity.hello(Identity.VERSION));
        byte[] other = RawClient.proofFrame(secret, new byte[Identity.NONCE_BYTES], identity); // of another connection
        for (int cut = 0; cut < other.length; cut++) {
            for (int kind = 0; kind < 4; kind++) {
                EmbeddedChannel channel = new EmbeddedChannel();
                Coordinator.prepare(channel.pipeline(), job, null, CoordinatorOptions.loopback());
                channel.pipeline().fireChannelActive();
                channel.writeInbound(Unpooled.wrappedBuffer(kind == 0 ? Arrays.copyOf(hello, Math.min(cut, hello.length - 1))
                        : hello));
                ByteBuf challenge = channel.readOutbound();
                if (kind > 0) {
                    byte[] nonce = ByteBufUtil.getBytes(challenge, Integer.BYTES + 1, Identity.NONCE_BYTES);
                    byte[] good = RawClient.proofFrame(secret, nonce, identity);
                    byte[] sent = Arrays.copyOf(good, cut);
                    if (kind > 1) { // the rest from elsewhere
                        sent = Arrays.copyOf(sent, good.length);
                        System.arraycopy(kind == 2 ? other : new byte[good.length], cut, sent, cut, good.length - cut);
                    }
                    if (!Arrays.equals(sent, good)) {
                        channel.writeInbound(Unpooled.wrappedBuffer(sent));
                    }
                }
                channel.finishAndReleaseAll();
            }
        }
        assertEquals(List.of(), events);
    }

    /** Frames that a JVM accepts from a peer which answers in place of the coordinator. */
    @Test
    void shouldRefuseDamagedAnswersToAHandshake() {
        Mutator mutator = new Mutator(SEED);
        Identity self = Identity.ofJvm("job", 0, new ProcessLayout(2, 2));
        List<byte[]> answers = List.of(RawClient.frame(new byte[] {Identity.CHALLENGE}, new byte[Identity.NONCE_BYTES]),
                RawClient.frame(new byte[] {Identity.ACCEPTED}, new byte[JobSecret.PROOF_BYTES]),
                RawClient.frame(new byte[] {Identity.REFUSED, (byte) Refusal.SIZE.code(), 'w', 'h', 'y'}));
        for (int i = 0; i < FRAMES / 10; i++) {
            CompletableFuture<Void> accepted = new CompletableFuture<>();
            EmbeddedChannel jvm = new EmbeddedChannel(new JvmHandshake(MeetingPoint.loopback(1), secret, self,
                    Identity.VERSION, new Failures(), accepted));
            jvm.pipeline().addFirst(JvmHandshake.FRAMES, MessageDecoder.frames(Identity.MAX_BEFORE_PROOF));
            byte[] first = mutator.any(answers);
            byte[] second = mutator.mutate(mutator.any(answers), answers);
            jvm.writeInbound(Unpooled.wrappedBuffer(first, second));
            jvm.finishAndReleaseAll();

            assertTrue(accepted.isCompletedExceptionally(), () -> Arrays.toString(first) + Arrays.toString(second));
            assertInstanceOf(PgasException.class, accepted.exceptionNow());
        }
    }

    @Test
    void shouldNotChangeTheJobForMutatedHandshakes() {
        Mutator mutator = new Mutator(SEED);
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
            byte[] bad = mutator.mutate(good, List.of(good, hello));
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
        }, new RefusalLog(_ -> { }), false);
    }
}
