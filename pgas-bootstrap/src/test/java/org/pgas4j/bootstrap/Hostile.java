package org.pgas4j.bootstrap;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/** Bytes of a client which tries to join without belonging to the job, and their cost at the coordinator. */
final class Hostile {

    /** Frame lengths that are none. */
    static final long[] LENGTHS = {0, -1, Integer.MAX_VALUE, Integer.MIN_VALUE, Long.MAX_VALUE,
            Identity.MAX_BEFORE_PROOF + 1};

    private Hostile() {
    }

    /** Eight bytes, little-endian; the first four are the length that the coordinator reads. */
    static byte[] length(long length) {
        return ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN).putLong(length).array();
    }

    /** Identities that know the secret and are wrong all the same, with the answer they must get. */
    static Map<Identity, Refusal> impostors(TestJob job) {
        int processes = job.layout.processes();
        int ranks = job.layout.ranks();
        long build = Identity.thisBuild();
        Map<Identity, Refusal> impostors = new LinkedHashMap<>();
        impostors.put(identity("other", 0, processes, ranks, build), Refusal.JOB);
        impostors.put(identity(TestJob.JOB, 0, processes, ranks, build + 1), Refusal.BUILD);
        impostors.put(identity(TestJob.JOB, 0, processes + 1, ranks, build), Refusal.SIZE);
        impostors.put(identity(TestJob.JOB, 0, processes, ranks - 1, build), Refusal.SIZE);
        for (int process : new int[] {-1, processes, Integer.MIN_VALUE, Integer.MAX_VALUE}) {
            impostors.put(identity(TestJob.JOB, process, processes, ranks, build), Refusal.RANGE);
        }
        return impostors;
    }

    private static Identity identity(String job, int process, int processes, int ranks, long build) {
        return new Identity(job, process, 0, processes, ranks, build, JobSecret.randomBytes(Identity.NONCE_BYTES), "here");
    }

    /** Answer of the coordinator to a handshake with these; null if it ends the connection without one. */
    static Refusal handshake(int port, JobSecret secret, Identity identity) throws IOException {
        try (RawClient client = new RawClient(port)) {
            client.send(RawClient.proofFrame(secret, client.greet(), identity));
            return client.readRefusal();
        }
    }

    /** Bytes that the thread of the coordinator that was started last has allocated in the Java heap so far. */
    static long allocatedByCoordinator() {
        var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        long newest = Arrays.stream(threads.getThreadInfo(threads.getAllThreadIds()))
                .filter(thread -> thread != null && thread.getThreadName().startsWith("pgas-coordinator"))
                .mapToLong(ThreadInfo::getThreadId).max().orElseThrow();
        return threads.getThreadAllocatedBytes(newest);
    }
}
