package org.pgas4j.runtime.bootstrap;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HexFormat;

/**
 * Who a JVM of a job says it is, and the bytes both sides prove knowledge of the secret over. The handshake, in frames
 * ({@code length:i32} in front of each, little-endian):
 *
 * <pre>
 * JVM          to coordinator  magic "PGAS4J" | version:u16
 * coordinator  to JVM          type:u8=1 | nonce:32
 * JVM          to coordinator  process:i32 | processes:i32 | ranks:i32 | build:i64 | nonce:32 | job length:u8 | job
 *                              | HMAC(secret, "pgas4j jvm" | all of the above):32
 * coordinator  to JVM          type:u8=2 | HMAC(secret, "pgas4j coordinator" | all of the above but the HMAC):32
 *                              or type:u8=3 | refusal:u8 | text
 * </pre>
 *
 * Both nonces are new for each connection, so a recorded proof proves nothing again.
 *
 * @param job       of the coordinator
 * @param process   the JVM's number
 * @param processes JVMs of the job
 * @param ranks     ranks of the job
 * @param build     of the code, see {@link #thisBuild()}
 * @param nonce     32 bytes
 */
record Identity(String job, int process, int processes, int ranks, long build, byte[] nonce) {

    static final int VERSION = 1;
    static final int NONCE_BYTES = 32;
    static final int MAX_BEFORE_PROOF = 512;
    static final int MAX_JOB = 64;
    static final int FIXED_BYTES = 3 * Integer.BYTES + Long.BYTES + NONCE_BYTES + 1;
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

    byte[] encode() {
        byte[] name = job.getBytes(StandardCharsets.UTF_8);
        if (name.length > MAX_JOB) {
            throw new IllegalArgumentException("job id of " + name.length + " bytes (expected: <= " + MAX_JOB + ")");
        }
        ByteBuf buffer = Unpooled.buffer(FIXED_BYTES + name.length);
        buffer.writeIntLE(process).writeIntLE(processes).writeIntLE(ranks).writeLongLE(build).writeBytes(nonce);
        buffer.writeByte(name.length).writeBytes(name);
        return ByteBufUtil.getBytes(buffer);
    }

    /** @throws ProtocolException if these bytes are no identity */
    static Identity decode(byte[] bytes) {
        if (bytes.length < FIXED_BYTES || bytes.length != FIXED_BYTES + Byte.toUnsignedInt(bytes[FIXED_BYTES - 1])
                || bytes.length > FIXED_BYTES + MAX_JOB) {
            throw new ProtocolException("identity of " + bytes.length + " bytes");
        }
        ByteBuf buffer = Unpooled.wrappedBuffer(bytes);
        int process = buffer.readIntLE();
        int processes = buffer.readIntLE();
        int ranks = buffer.readIntLE();
        long build = buffer.readLongLE();
        byte[] nonce = new byte[NONCE_BYTES];
        buffer.readBytes(nonce);
        String job = new String(bytes, FIXED_BYTES, bytes.length - FIXED_BYTES, StandardCharsets.UTF_8);
        return new Identity(job, process, processes, ranks, build, nonce);
    }

    /** What must be the same in launcher and ranks for their messages and handles to fit. */
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
        return "Identity[job=" + job + ", process=" + process + ", processes=" + processes + ", ranks=" + ranks
                + ", build=" + Long.toHexString(build) + ", nonce=" + HexFormat.of().formatHex(nonce, 0, 4) + "...]";
    }
}
