package org.pgas4j.bench.lab;

import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * Prediction of a point with several requesters from what one of them takes beside an idle owner, and from what takes the one who
 * serves, the owner or its helper. That starts a copy for each request that has come, one after the other, also for those that come
 * while copies are under way, and answers all of them when the last is complete: a queue with bulk service (N. T. J. Bailey, On
 * queueing processes with bulk service, 1954). The rest of a request's time is its own. Each requester has one request at a time; in a
 * closed loop this is the machine repair model. A request that comes while the owner computes waits: without a helper for the end of
 * the owner's turn, with {@code auto} until the threshold at most.
 */
public final class QueueModel {

    private static final int REQUESTS = 40_000;
    private static final int MAX_IN_FLIGHT = 32; // copies that a port has under way

    private final TimeQuantiles idle;
    private final Service service;
    private final double thresholdNs;
    private final long seed;

    /**
     * Parts of a request's time that belong to the one who serves.
     *
     * @param startNs until its copy is started; meanwhile no other is
     * @param copyNs  from there until it is answered, if it is the last of those that are answered together
     */
    public record Service(double startNs, double copyNs) {

        /** Nobody serves requests one after the other. */
        public static final Service NONE = new Service(0, 0);

        double wholeNs() {
            return startNs + copyNs;
        }
    }

    /**
     * Prediction for a point.
     *
     * @param medianUs  of all requesters' times
     * @param meanUs    mean of them
     * @param perSecond requests of all requesters together
     */
    public record Prediction(double medianUs, double meanUs, double perSecond) {
    }

    /**
     * Model for one helper and operation.
     *
     * @param idle        times of one requester beside an idle owner
     * @param thresholdNs time that a request waits before {@code auto} serves it
     */
    public QueueModel(TimeQuantiles idle, Service service, double thresholdNs, long seed) {
        this.idle = idle;
        this.service = service;
        this.thresholdNs = thresholdNs;
        this.seed = seed;
    }

    /** Prediction for a point; an open loop has its share of the rate that all reach one request after the other. */
    public Prediction of(LabPoint point) {
        double load = point.number(LabPoint.LOAD);
        if (load == 0) {
            return new Run(point, 0, point.maxPauseNs()).result();
        }
        double allPerNs = new Run(point, 0, 0).result().perSecond() / 1e9;
        return new Run(point, point.requesters() / allPerNs / load, 0).result();
    }

    /** One run of the queue on a clock of its own. */
    private final class Run {

        private final SplittableRandom random = new SplittableRandom(seed);
        private final double kernelNs;
        private final boolean servedAtOnce;
        private final boolean auto;
        private final double gapNs;
        private final double pauseNs;
        private final boolean poisson;
        private final double[] dueNs;
        private final double[] cameNs;
        private final double[] restNs;

        Run(LabPoint point, double meanGapNs, double maxPauseNs) {
            this.kernelNs = point.kernelNs();
            this.servedAtOnce = point.isServedAtOnce();
            this.auto = point.text(LabPoint.HELPER).equals("auto");
            this.gapNs = meanGapNs;
            this.pauseNs = maxPauseNs;
            this.poisson = point.text(LabPoint.ARRIVALS).equals("poisson");
            int requesters = point.requesters();
            this.dueNs = new double[requesters];
            this.cameNs = new double[requesters];
            this.restNs = new double[requesters];
            for (int i = 0; i < requesters; i++) {
                // fixed rates of requesters that do not keep step with each other
                dueNs[i] = gapNs > 0 ? gapNs * random.nextDouble() : pause();
                send(i, dueNs[i]);
            }
        }

        /** Sends the next request: half of its own time passes before it can be served, half after. */
        private void send(int requester, double atNs) {
            restNs[requester] = Math.max(0, idle.drawNs(random) - service.wholeNs()) / 2;
            cameNs[requester] = atNs + restNs[requester];
        }

        /** First time from which on a request that has come is served, if no other is. */
        private double afterTurn(double cameNs) {
            if (kernelNs == 0 || servedAtOnce) {
                return cameNs;
            }
            double end = Math.ceil(cameNs / kernelNs) * kernelNs;
            return auto ? Math.min(end, cameNs + thresholdNs) : end;
        }

        private double pause() {
            return pauseNs * random.nextDouble();
        }

        private double gap() {
            return poisson ? -Math.log(1 - random.nextDouble()) * gapNs : gapNs;
        }

        /** Requesters in the order in which their requests have come or will come. */
        private int[] inOrder() {
            return IntStream.range(0, cameNs.length).boxed().sorted((a, b) -> Double.compare(cameNs[a], cameNs[b]))
                    .mapToInt(Integer::intValue).toArray();
        }

        Prediction result() {
            double[] times = new double[REQUESTS];
            double freeNs = 0;
            double lastNs = 0;
            int done = 0;
            while (done < REQUESTS) {
                int[] order = inOrder();
                double startedNs = Math.max(freeNs, afterTurn(cameNs[order[0]]));
                double endNs = startedNs;
                int together = 0;
                while (together < Math.min(order.length, MAX_IN_FLIGHT) && (together == 0 || cameNs[order[together]] <= endNs)) {
                    startedNs = Math.max(startedNs, cameNs[order[together]]) + service.startNs();
                    endNs = startedNs + service.copyNs();
                    together++;
                }
                freeNs = endNs;
                for (int i = 0; i < together && done < REQUESTS; i++) {
                    int requester = order[i];
                    double back = endNs + restNs[requester];
                    times[done++] = back - dueNs[requester];
                    lastNs = Math.max(lastNs, back);
                    dueNs[requester] = gapNs > 0 ? dueNs[requester] + gap() : back + pause();
                    send(requester, Math.max(back, dueNs[requester]));
                }
            }
            Arrays.sort(times);
            return new Prediction(times[REQUESTS / 2] / 1e3, Arrays.stream(times).average().orElseThrow() / 1e3,
                    REQUESTS / lastNs * 1e9);
        }
    }
}
