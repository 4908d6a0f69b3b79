package org.pgas4j.bootstrap;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Secret that only the JVMs of one job have. It is passed by inherited pipe or owner-only file, never in arguments or
 * environment.
 */
public final class JobSecret {

    static final int BYTES = 32;
    static final int PROOF_BYTES = 32;

    private static final SecureRandom RANDOM = new SecureRandom();

    private final byte[] secret;

    private JobSecret(byte[] secret) {
        this.secret = secret;
    }

    /** A new secret. */
    public static JobSecret random() {
        return new JobSecret(randomBytes(BYTES));
    }

    /**
     * The secret of its {@link #toHex()}.
     *
     * @throws IllegalArgumentException without the value in its message
     */
    public static JobSecret ofHex(String hex) {
        if (hex.length() != 2 * BYTES || !hex.chars().allMatch(HexFormat::isHexDigit)) {
            throw new IllegalArgumentException("a job secret of " + hex.length() + " characters (expected: "
                    + 2 * BYTES + " hexadecimal digits)");
        }
        return new JobSecret(HexFormat.of().parseHex(hex));
    }

    /**
     * The secret of a job whose JVMs share some bytes, for example a mounted file.
     *
     * @param shared 32 bytes or more, secret
     * @param job    its name: jobs with the same bytes have different secrets
     * @throws IllegalArgumentException if there are too few bytes
     */
    public static JobSecret derive(byte[] shared, String job) {
        if (shared.length < BYTES) {
            throw new IllegalArgumentException("a secret of " + shared.length + " bytes (expected: >= " + BYTES + ")");
        }
        byte[] key = new JobSecret(shared).proof("pgas4j job secret".getBytes(StandardCharsets.US_ASCII),
                job.getBytes(StandardCharsets.UTF_8));
        return new JobSecret(key);
    }

    /** For the pipe to a child or a file that only the owner can read, and nothing else. */
    public String toHex() {
        return HexFormat.of().formatHex(secret);
    }

    /** HMAC-SHA256 of the parts, one after the other. */
    byte[] proof(byte[]... parts) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(secret, "HmacSHA256"));
            for (byte[] part : parts) {
                mac.update(part);
            }
            return mac.doFinal();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java has no HmacSHA256", e);
        }
    }

    /** True if {@code proof} is the proof of the parts; takes the same time wherever they differ. */
    boolean proves(byte[] proof, byte[]... parts) {
        return MessageDigest.isEqual(proof(parts), proof);
    }

    static byte[] randomBytes(int count) {
        byte[] bytes = new byte[count];
        RANDOM.nextBytes(bytes);
        return bytes;
    }

    static long randomLong() {
        return RANDOM.nextLong();
    }

    @Override
    public String toString() {
        return "JobSecret[hidden]";
    }
}
