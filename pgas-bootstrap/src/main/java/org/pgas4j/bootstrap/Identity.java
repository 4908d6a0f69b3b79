package org.pgas4j.bootstrap;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HexFormat;

/**
 * Identity that a JVM of a job, or the coordinator of a node, claims, and the bytes over which both sides prove
 * knowledge of the secret. The handshake, in frames ({@code length:i32} in front of each, little-endian), inside TLS if
 * the job has it:
 *
 * <pre>
 * JVM          to coordinator  magic "PGAS4J" | version:u16
 * coordinator  to JVM          type:u8=1 | nonce:32
 * JVM          to coordinator  process:i32 | end:i32 | processes:i32 | ranks:i32 | build:i64 | nonce:32
 *                              | job length:u8 | job | place length:u8 | place
 *                              | HMAC(secret, "pgas4j jvm" | binding | all of the above):32
 * coordinator  to JVM          type:u8=2 | HMAC(secret, "pgas4j coordinator" | binding | all of the above but the HMAC):32
 *                              or type:u8=3 | refusal:u8 | text
 * </pre>
 *
 * Both nonces are new for each connection, so a recorded proof proves nothing again. The binding is the SHA-256 of the
 * coordinator's certificate as each side sees it, 32 zeros without TLS: a proof that is passed on by a third party in
 * between is wrong.
 *
 * @param job       of the coordinator
 * @param process   the JVM's number; of a node's coordinator, the first of its JVMs
 * @param end       0 for a JVM; of a node's coordinator, the end of its JVMs
 * @param processes JVMs of the job
 * @param ranks     ranks of the job
 * @param build     of the code, see {@link #thisBuild()}
 * @param nonce     32 bytes
 * @param place     host and process id, for messages
 */
record Identity(String job, int process, int end, int processes, int ranks, long build, byte[] nonce, String place) {

    static final int VERSION = 4;
    static final int NONCE_BYTES = 32;
    static final int MAX_BEFORE_PROOF = 512;
    static final int MAX_JOB = 64;
    static final int MAX_PLACE = 128;
    static final int FIXED_BYTES = 4 * Integer.BYTES + Long.BYTES + NONCE_BYTES + 2;
    static final int CHALLENGE = 1;
    static final int ACCEPTED = 2;
    static final int REFUSED = 3;
    static final byte[] JVM_ROLE = "pgas4j jvm".getBytes(StandardCharsets.US_ASCII);
    static final byte[] COORDINATOR_ROLE = "pgas4j coordinator".getBytes(StandardCharsets.US_ASCII);

    private static final byte[] MAGIC = "PGAS4J".getBytes(StandardCharsets.US_ASCII);
    static final int HELLO_BYTES = MAGIC.length + Short.BYTES;

    static byte[] hello(int version) {
        byte[] hello = new byte[HELLO_BYTES];
        System.arraycopy(MAGIC, 0, hello, 0, MAGIC.length);
        hello[MAGIC.length] = (byte) version;
        hello[MAGIC.length + 1] = (byte) (version >> Byte.SIZE);
        return hello;
    }

    /** Null if the first frame is this protocol's and version's. */
    static Refusal checkHello(byte[] hello) {
        if (hello.length != HELLO_BYTES
                || !MessageDigest.isEqual(MAGIC, java.util.Arrays.copyOf(hello, MAGIC.length))) {
            return Refusal.NOT_PGAS;
        }
        return java.util.Arrays.equals(hello, hello(VERSION)) ? null : Refusal.VERSION;
    }

    /** A JVM of this build, here. */
    static Identity ofJvm(String job, int process, ProcessLayout layout) {
        return new Identity(job, process, 0, layout.processes(), layout.ranks(), thisBuild(),
                JobSecret.randomBytes(NONCE_BYTES), Place.process());
    }

    /** The coordinator of a node, here. */
    static Identity ofRelay(String job, int first, int end, ProcessLayout layout, long build) {
        return new Identity(job, first, end, layout.processes(), layout.ranks(), build,
                JobSecret.randomBytes(NONCE_BYTES), Place.process());
    }

    boolean isRelay() {
        return end != 0;
    }

    /** End of the JVMs that are reached this way. */
    int endProcess() {
        return isRelay() ? end : process + 1;
    }

    byte[] encode() {
        byte[] name = job.getBytes(StandardCharsets.UTF_8);
        if (name.length > MAX_JOB) {
            throw new IllegalArgumentException("job id of " + name.length + " bytes (expected: <= " + MAX_JOB + ")");
        }
        byte[] where = place.getBytes(StandardCharsets.UTF_8);
        int whereBytes = Math.min(where.length, MAX_PLACE);
        ByteBuf buffer = Unpooled.buffer(FIXED_BYTES + name.length + whereBytes);
        buffer.writeIntLE(process).writeIntLE(end).writeIntLE(processes).writeIntLE(ranks).writeLongLE(build);
        buffer.writeBytes(nonce);
        buffer.writeByte(name.length).writeBytes(name);
        buffer.writeByte(whereBytes).writeBytes(where, 0, whereBytes);
        return ByteBufUtil.getBytes(buffer);
    }

    /** @throws ProtocolException if these bytes are no identity */
    static Identity decode(byte[] bytes) {
        if (bytes.length < FIXED_BYTES || bytes.length > FIXED_BYTES + MAX_JOB + MAX_PLACE) {
            throw new ProtocolException("identity of " + bytes.length + " bytes");
        }
        ByteBuf buffer = Unpooled.wrappedBuffer(bytes);
        int process = buffer.readIntLE();
        int end = buffer.readIntLE();
        int processes = buffer.readIntLE();
        int ranks = buffer.readIntLE();
        long build = buffer.readLongLE();
        byte[] nonce = new byte[NONCE_BYTES];
        buffer.readBytes(nonce);
        String job = text(buffer, MAX_JOB);
        String place = text(buffer, MAX_PLACE);
        if (buffer.isReadable()) {
            throw new ProtocolException(buffer.readableBytes() + " bytes after an identity");
        }
        return new Identity(job, process, end, processes, ranks, build, nonce, place);
    }

    private static String text(ByteBuf buffer, int max) {
        int length = buffer.isReadable() ? buffer.readUnsignedByte() : Integer.MAX_VALUE;
        if (length > Math.min(max, buffer.readableBytes())) {
            throw new ProtocolException("text of an identity is longer than the identity");
        }
        return Message.oneLine(buffer.readCharSequence(length, StandardCharsets.UTF_8).toString());
    }

    /** Hash of everything that must be the same in launcher and ranks for their messages and handles to fit. */
    static long thisBuild() {
        String text = String.join("|", String.valueOf(Identity.class.getPackage().getImplementationVersion()),
                Integer.toString(VERSION), Integer.toString(Runtime.version().feature()),
                System.getProperty("os.arch"), ByteOrder.nativeOrder().toString());
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return Unpooled.wrappedBuffer(digest).readLongLE();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java has no SHA-256", e);
        }
    }

    @Override
    public String toString() {
        return "Identity[job=" + job + ", process=" + process + ", end=" + end + ", processes=" + processes + ", ranks=" + ranks
                + ", build=" + Long.toHexString(build) + ", nonce=" + HexFormat.of().formatHex(nonce, 0, 4) + "...]";
    }
}
