package org.pgas4j.bootstrap;

import io.netty.channel.ChannelPipeline;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.cert.CertificateEncodingException;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.pgas4j.BootstrapException;

/**
 * TLS 1.3 between hosts. The coordinator makes a certificate for the job, which no authority signs and no JVM knows
 * before. Instead both sides prove the job's secret over the certificate they see: a third party in between would show
 * another one.
 */
final class Tls {

    static final String HANDLER = "tls";
    static final int BINDING_BYTES = 32;

    private static final String PROTOCOL = "TLSv1.3";

    private final SslContext context;
    private final byte[] binding;

    private Tls(SslContext context, byte[] binding) {
        this.context = context;
        this.binding = binding;
    }

    /** Of a coordinator, with a new key and certificate. */
    static Tls server() {
        try {
            JobCertificate own = JobCertificate.create();
            SslContext context = SslContextBuilder.forServer(own.key(), own.certificate())
                    .sslProvider(SslProvider.JDK).protocols(PROTOCOL).build();
            return new Tls(context, hash(own.certificate()));
        } catch (GeneralSecurityException | SSLException e) {
            throw new BootstrapException("cannot make a certificate for the job: " + e.getMessage()
                    + "; pgas.tls=off goes without", e);
        }
    }

    /** Of the side that connects: accepts any certificate, since the proof of the secret covers it. */
    static Tls client() {
        try {
            SslContext context = SslContextBuilder.forClient().sslProvider(SslProvider.JDK).protocols(PROTOCOL)
                    .trustManager(InsecureTrustManagerFactory.INSTANCE).endpointIdentificationAlgorithm(null).build();
            return new Tls(context, null);
        } catch (SSLException e) {
            throw new BootstrapException("this Java has no " + PROTOCOL + ": " + e.getMessage(), e);
        }
    }

    /** Adds TLS to a connection. Its handshake has no deadline of its own: that of the proof counts. */
    void addTo(ChannelPipeline pipeline) {
        SslHandler handler = context.newHandler(pipeline.channel().alloc());
        handler.setHandshakeTimeoutMillis(0);
        pipeline.addLast(HANDLER, handler);
    }

    /** Binding of a coordinator's proofs: the hash of its certificate, zeros without TLS. */
    static byte[] bindingOf(Tls own) {
        return own == null ? new byte[BINDING_BYTES] : own.binding;
    }

    /** The same binding as the other side of the connection sees it. */
    static byte[] bindingOf(ChannelPipeline connection) {
        SslHandler handler = connection.get(SslHandler.class);
        if (handler == null) {
            return new byte[BINDING_BYTES];
        }
        try {
            return hash((X509Certificate) handler.engine().getSession().getPeerCertificates()[0]);
        } catch (SSLPeerUnverifiedException | CertificateEncodingException e) {
            throw new ProtocolException("no certificate: " + e.getMessage());
        }
    }

    private static byte[] hash(X509Certificate certificate) throws CertificateEncodingException {
        try {
            return MessageDigest.getInstance("SHA-256").digest(certificate.getEncoded());
        } catch (CertificateEncodingException e) {
            throw e;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java has no SHA-256", e);
        }
    }
}
