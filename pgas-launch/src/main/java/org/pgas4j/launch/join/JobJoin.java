package org.pgas4j.launch.join;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import org.pgas4j.BootstrapException;
import org.pgas4j.ExitCode;
import org.pgas4j.PgasConfig;
import org.pgas4j.PgasKey;
import org.pgas4j.PgasTimeoutException;
import org.pgas4j.UsageException;
import org.pgas4j.bootstrap.Abort;
import org.pgas4j.bootstrap.Coordinator;
import org.pgas4j.bootstrap.CoordinatorOptions;
import org.pgas4j.bootstrap.Interfaces;
import org.pgas4j.bootstrap.JobSecret;
import org.pgas4j.bootstrap.KeepAlive;
import org.pgas4j.bootstrap.MeetingPoint;
import org.pgas4j.bootstrap.NettyBootstrap;
import org.pgas4j.bootstrap.Phase;
import org.pgas4j.bootstrap.Place;
import org.pgas4j.bootstrap.ProcessLayout;

/**
 * Joins a job without launcher: by a file in a directory that all nodes see, or with a secret that was given to
 * all before, at an address that all have.
 */
final class JobJoin {

    /** Port of process 0 if an address without port is agreed on. */
    static final int PORT = 7347;

    private static final int MAX_NAME = 48;
    private static final String JOIN = "join";

    private final PgasConfig config;
    private final ProcessPlacement placement;
    private final ProcessLayout layout;
    private final String job;
    private final boolean bySecret;
    private final long timeoutNs;
    private final long deadlineNs;

    JobJoin(PgasConfig config, ProcessPlacement placement, int threads) {
        this.config = config;
        this.placement = placement;
        this.layout = new ProcessLayout(placement.size(), Math.multiplyExact(placement.size(), threads));
        this.bySecret = config.isSet(PgasKey.SECRET_FILE);
        this.job = fileName(jobName());
        this.timeoutNs = config.duration(PgasKey.JOIN_TIMEOUT).toNanos();
        this.deadlineNs = System.nanoTime() + timeoutNs;
        if (!bySecret && !config.isAuto(PgasKey.COORD)) {
            throw new UsageException("pgas.coord=" + config.text(PgasKey.COORD) + " without pgas.secret.file: whoever"
                    + " reaches that address could join. Give all JVMs one secret, or leave pgas.coord out where they have a"
                    + " common home");
        }
    }

    private String jobName() {
        if (placement.job() != null) {
            return placement.job();
        }
        if (bySecret) {
            return "pgas";
        }
        if (placement.isOneNode()) { // by their common parent
            return placement.kind().choice() + "-parent-" + ProcessHandle.current().parent()
                    .map(parent -> parent.pid() + "-" + parent.info().startInstant().map(start ->
                            Long.toHexString(start.toEpochMilli())).orElse("")).orElse("0");
        }
        throw new UsageException(placement.kind().title() + " names no job. Give all its JVMs the same PGAS_JOB_ID, and a"
                + " new one each time");
    }

    /** A name that any file system takes and that fits a handshake. */
    static String fileName(String name) {
        String plain = name.replaceAll("[^A-Za-z0-9._-]", "-");
        if (plain.equals(name) && plain.length() <= MAX_NAME && !plain.startsWith(".")) {
            return plain;
        }
        try {
            byte[] digest = java.security.MessageDigest.getInstance("SHA-256")
                    .digest(name.getBytes(StandardCharsets.UTF_8));
            return "j" + plain.substring(0, Math.min(plain.length(), MAX_NAME - 18)) + "-"
                    + HexFormat.of().formatHex(digest, 0, 8);
        } catch (java.security.GeneralSecurityException e) {
            throw new IllegalStateException("this Java has no SHA-256", e);
        }
    }

    /** Starts the coordinator in process 0 and publishes its address. */
    EmbeddedCoordinator host() {
        MeetingPoint agreed = bySecret ? agreedPoint() : null;
        CoordinatorOptions options = options(agreed);
        JobSecret secret = bySecret ? SecretFile.read(config.text(PgasKey.SECRET_FILE), job) : JobSecret.random();
        Supervision supervision = new Supervision(layout);
        boolean success = false;
        Coordinator coordinator = Coordinator.start(secret, job, layout, supervision, System.err::println, options);
        try {
            supervision.supervise(coordinator);
            boolean everywhere = options.address().isAnyLocalAddress();
            MeetingPoint own = coordinator.at(everywhere ? InetAddress.getLoopbackAddress().getHostAddress()
                    : options.address().getHostAddress(), layout.describe(0));
            MeetingFile file = null;
            Path directory = null;
            if (!bySecret) {
                directory = directory();
                MeetingFile.sweep(directory);
                file = MeetingFile.create(job, everywhere ? Interfaces.addresses()
                        : List.of(options.address().getHostAddress()), coordinator.port(), options.tls(), secret);
                file.publish(directory);
            }
            success = true;
            return new EmbeddedCoordinator(coordinator, supervision, own, secret, file, directory);
        } catch (IOException e) {
            throw new BootstrapException("process 0 of job " + job + " cannot publish its address: " + e
                    + "; set pgas.join.dir to a directory of yours that all nodes see", e);
        } finally {
            if (!success) {
                coordinator.close();
            }
        }
    }

    private Path directory() {
        return MeetingFile.directory(config.text(PgasKey.JOIN_DIR));
    }

    private CoordinatorOptions options(MeetingPoint agreed) {
        CoordinatorOptions base = CoordinatorOptions.of(config).withWait(config.duration(PgasKey.JOIN_TIMEOUT));
        int port = agreed == null ? 0 : agreed.port();
        String iface = config.text(PgasKey.IFACE);
        CoordinatorOptions options;
        if (!config.isAuto(PgasKey.IFACE)) {
            options = base.on(Interfaces.find(iface), port);
        } else if (agreed != null ? isLoopback(agreed.host()) : placement.isOneNode()) {
            options = base.on(InetAddress.getLoopbackAddress(), port);
        } else {
            options = base.onAllInterfaces(port);
        }
        boolean tls = agreed == null ? CoordinatorOptions.usesTls(config, options.tls()) : agreed.tls();
        if (!tls && !options.address().isLoopbackAddress()) {
            System.err.println("pgas4j: pgas.tls=off: the control plane of job " + job + " can be read on the network;"
                    + " joining takes its secret, but addresses and keys of memory pass in the clear");
        }
        return options.withTls(tls);
    }

    private static boolean isLoopback(String host) {
        return host.equals("localhost") || host.startsWith("127.") || host.equals("::1");
    }

    /** Address of the coordinator of a job with a given secret. */
    private MeetingPoint agreedPoint() {
        String text = placement.coordinator() != null ? placement.coordinator()
                : placement.isOneNode() ? "127.0.0.1" : placement.kind() == LauncherKind.KUBERNETES ? firstPod() : null;
        if (text == null) {
            throw new UsageException("pgas.secret.file is given, but not where process 0 is: set pgas.coord=host:port");
        }
        int colon = text.lastIndexOf(':');
        boolean hasPort = colon > 0 && text.indexOf(':') == colon || text.contains("]:");
        String host = (hasPort ? text.substring(0, colon) : text).replaceAll("[\\[\\]]", "");
        int port = PORT;
        if (hasPort) {
            String digits = text.substring(colon + 1);
            port = digits.matches("\\d{1,5}") ? Integer.parseInt(digits) : 0;
        }
        if (port < 1 || port > 0xffff || host.isBlank()) {
            throw new UsageException("pgas.coord=" + text + " (expected: host:port, with a port of 1..65535)");
        }
        return new MeetingPoint(host, port, CoordinatorOptions.usesTls(config, !isLoopback(host)), layout.describe(0));
    }

    /** The name of pod 0 if the pods of an indexed job have a service: {@code hello-3.hello.ns...} is 3's. */
    private String firstPod() {
        try {
            String own = InetAddress.getLocalHost().getCanonicalHostName();
            int dot = own.indexOf('.');
            String tail = "-" + placement.process();
            if (dot > 0 && own.substring(0, dot).endsWith(tail)) {
                return own.substring(0, dot - tail.length()) + "-0" + own.substring(dot);
            }
        } catch (UnknownHostException e) {
            JoinedJob.debug("this pod has no name", e);
        }
        throw new UsageException("the pods of this job have no names by which they can reach each other. Add to the job's"
                + " pod template\n  spec:\n    subdomain: NAME\nand a headless service NAME that selects them, or set"
                + " PGAS_COORD to the name of pod 0: see examples/cluster");
    }

    /**
     * Connects this JVM.
     *
     * @param host of this JVM if it is process 0, else null
     */
    NettyBootstrap connect(EmbeddedCoordinator host) {
        JobMeeting meeting = new JobMeeting(job, placement.process(), layout, deadlineNs, KeepAlive.of(config));
        if (host != null) {
            return meeting.at(host.own(), host.secret());
        }
        return bySecret ? meeting.at(agreedPoint(), SecretFile.read(config.text(PgasKey.SECRET_FILE), job))
                : meeting.byFile(directory());
    }

    /** Waits until all have joined; from then on the loss of the connection is the loss of process 0. */
    void awaitAll(NettyBootstrap bootstrap) {
        try {
            byte[][] places = bootstrap.allGather(JOIN, JoinedJob.text(Place.process()), deadlineNs);
            String first = new String(places[0], StandardCharsets.UTF_8);
            bootstrap.onLoss(why -> new Abort(0, first + " " + layout.ranksOf(0), Phase.RUNNING,
                    "the process was lost: " + why, ExitCode.PEER_LOST.number(), true));
        } catch (PgasTimeoutException e) {
            throw new BootstrapException("not all JVMs of job " + job + " have joined within " + timeoutNs / 1_000_000
                    + " ms (pgas.join.timeout): " + e.getMessage().split(";", 2)[0], e);
        }
    }
}
