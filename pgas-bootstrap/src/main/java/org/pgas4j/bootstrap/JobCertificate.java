package org.pgas4j.bootstrap;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;

/**
 * A key and a certificate that it signs itself, for one job. Java reads certificates but has no call to make one, so the
 * few fields that X.509 requires are written here. Name and dates are not checked: see {@link Tls}.
 *
 * @param key         P-256, never leaves this JVM
 * @param certificate of its public half
 */
record JobCertificate(PrivateKey key, X509Certificate certificate) {

    private static final int INTEGER = 0x02;
    private static final int BIT_STRING = 0x03;
    private static final int UTF8_STRING = 0x0c;
    private static final int UTC_TIME = 0x17;
    private static final int SEQUENCE = 0x30;
    private static final int SET = 0x31;
    private static final int VERSION = 0xa0;
    private static final byte[] ECDSA_WITH_SHA256 = {0x06, 0x08, 0x2a, (byte) 0x86, 0x48, (byte) 0xce, 0x3d, 0x04, 0x03,
        0x02};
    private static final byte[] COMMON_NAME = {0x06, 0x03, 0x55, 0x04, 0x03};
    private static final long DAY_S = 86_400;
    private static final int SERIAL_BYTES = 16;

    static JobCertificate create() throws GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec("secp256r1"));
        KeyPair pair = generator.generateKeyPair();
        byte[] serial = JobSecret.randomBytes(SERIAL_BYTES);
        serial[0] = (byte) (serial[0] & 0x3f | 0x40); // positive and of full length
        byte[] algorithm = element(SEQUENCE, ECDSA_WITH_SHA256);
        byte[] name = element(SEQUENCE, element(SET, element(SEQUENCE, COMMON_NAME,
                element(UTF8_STRING, "pgas4j job".getBytes(StandardCharsets.UTF_8)))));
        Instant now = Instant.now();
        byte[] signed = element(SEQUENCE, element(VERSION, element(INTEGER, new byte[] {2})), element(INTEGER, serial),
                algorithm, name, element(SEQUENCE, time(now.minusSeconds(DAY_S)), time(now.plusSeconds(365 * DAY_S))),
                name, pair.getPublic().getEncoded());
        Signature signature = Signature.getInstance("SHA256withECDSA");
        signature.initSign(pair.getPrivate());
        signature.update(signed);
        byte[] encoded = element(SEQUENCE, signed, algorithm, element(BIT_STRING, new byte[1], signature.sign()));
        X509Certificate certificate = (X509Certificate) CertificateFactory.getInstance("X.509")
                .generateCertificate(new ByteArrayInputStream(encoded));
        return new JobCertificate(pair.getPrivate(), certificate);
    }

    private static byte[] time(Instant instant) {
        return element(UTC_TIME, DateTimeFormatter.ofPattern("yyMMddHHmmss'Z'").withZone(ZoneOffset.UTC).format(instant)
                .getBytes(StandardCharsets.US_ASCII));
    }

    /** Tag, length and the parts, as DER has them. */
    private static byte[] element(int tag, byte[]... parts) {
        int length = 0;
        for (byte[] part : parts) {
            length += part.length;
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream(length + Integer.BYTES);
        out.write(tag);
        if (length > 0xff) {
            out.write(0x82);
            out.write(length >> Byte.SIZE);
        } else if (length > 0x7f) {
            out.write(0x81);
        }
        out.write(length);
        for (byte[] part : parts) {
            out.writeBytes(part);
        }
        return out.toByteArray();
    }
}
