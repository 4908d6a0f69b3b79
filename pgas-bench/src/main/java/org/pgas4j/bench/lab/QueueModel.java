package org.pgas4j.bench.lab;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.HdrHistogram.Histogram;

/**
 * Prediction of a point with several requesters from what one of them takes beside an idle owner: each request occupies the one who
 * serves, the owner or its helper, for a fixed time, those of all requesters in the order in which they come; the rest of its time
 * is its own. Each requester has one request at a time. With random arrivals and many requesters this is the queue M/D/1 (F.
 * Pollaczek 1930, A. Khinchine 1932), in a closed loop the machine repair model with one repairman. A request that comes while the
 * owner computes waits: without a helper for the end of the owner's turn, with {@code auto} until the threshold at most.
 */
public final class QueueModel {

    private static final int REQUESTS = 40_000;
    private static final int QUANTILES = 10_000;

    private final double[] idleNs;
    private final double servedNs;
    private final double thresholdNs;
    private final long seed;

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
     * @param unitNs      nanoseconds of a unit of the histogram
     * @param servedNs    part of such a time in which no other request is served
     * @param thresholdNs time that a request waits before {@code auto} serves it
     */
    public QueueModel(Histogram idle, double unitNs, double servedNs, double thresholdNs, long seed) {
        this.idleNs = MedianModel.quantiles(idle, unitNs, QUANTILES);
        this.servedNs = servedNs;
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
        private final String helper;
        private final double gapNs;
        private final double pauseNs;
        private final boolean poisson;
        private final double[] dueNs;
        private final double[] readyNs;
        private final double[] restNs;

        Run(LabPoint point, double meanGapNs, double maxPauseNs) {
            this.kernelNs = point.kernelNs();
            this.helper = point.text(LabPoint.HELPER);
            this.gapNs = meanGapNs;
            this.pauseNs = maxPauseNs;
            this.poisson = point.text(LabPoint.ARRIVALS).equals("poisson");
            int requesters = point.requesters();
            this.dueNs = new double[requesters];
            this.readyNs = new double[requesters];
            this.restNs = new double[requesters];
            for (int i = 0; i < requesters; i++) {
                // fixed rates of requesters that do not keep step with each other
                dueNs[i] = gapNs > 0 ? gapNs * random.nextDouble() : pause();
                send(i, dueNs[i]);
            }
        }

        /** Starts the next request: half of its own time passes before it can be served, half after. */
        private void send(int requester, double atNs) {
            restNs[requester] = Math.max(0, idleNs[random.nextInt(QUANTILES)] - servedNs) / 2;
            readyNs[requester] = afterTurn(atNs + restNs[requester]);
        }

        /** First time from which on a request that has come is served, if no other is. */
        private double afterTurn(double cameNs) {
            if (kernelNs == 0 || helper.equals("on") || helper.equals(LabPoint.RESIDENT)) {
                return cameNs;
            }
            double end = Math.ceil(cameNs / kernelNs) * kernelNs;
            return helper.equals("auto") ? Math.min(end, cameNs + thresholdNs) : end;
        }

        private double pause() {
            return pauseNs * random.nextDouble();
        }

        private double gap() {
            return poisson ? -Math.log(1 - random.nextDouble()) * gapNs : gapNs;
        }

        private int next() {
            int first = 0;
            for (int i = 1; i < readyNs.length; i++) {
                first = readyNs[i] < readyNs[first] ? i : first;
            }
            return first;
        }

        Prediction result() {
            double[] times = new double[REQUESTS];
            double freeNs = 0;
            double lastNs = 0;
            for (int i = 0; i < REQUESTS; i++) {
                int requester = next();
                freeNs = Math.max(freeNs, readyNs[requester]) + servedNs;
                double back = freeNs + restNs[requester];
                times[i] = back - dueNs[requester];
                lastNs = Math.max(lastNs, back);
                dueNs[requester] = gapNs > 0 ? dueNs[requester] + gap() : back + pause();
                send(requester, Math.max(back, dueNs[requester]));
            }
            Arrays.sort(times);
            return new Prediction(times[REQUESTS / 2] / 1e3, Arrays.stream(times).average().orElseThrow() / 1e3,
                    REQUESTS / lastNs * 1e9);
        }
    }
}
