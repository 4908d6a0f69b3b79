package org.pgas4j.bench.lab;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.pgas4j.PgasKey;
import org.pgas4j.bench.result.HistogramLog;
import org.pgas4j.bench.result.Repeats;
import org.pgas4j.bench.result.Row;

/**
 * Predictions of the points of an experiment, each from other points of it, which calibrate the model: the point of the same launch
 * with one requester whose owner is idle, if there is one at the same moments, and the owner's turns without requests; of several
 * requesters, too, what a request takes the helper at the point with one requester and the shortest turns of the owner, in which
 * helpers serve. Beside an idle owner they serve one request of thousands, so their parts say nothing there.
 */
public final class LabPredictions {

    /** Share by which a prediction may differ from the median to count as right. */
    public static final double TOLERANCE = 0.15;

    /** No prediction. */
    public static final QueueModel.Prediction NONE = new QueueModel.Prediction(Double.NaN, Double.NaN, Double.NaN);

    private static final double NS_PER_US = 1e3;
    private static final double SERVED_SHARE = 0.5; // of the requests of a point that says what they take a helper
    private static final long SEED = 1;

    private final Map<LabPoint, List<Row>> points;

    /** Predictions from rows with all samples, or with their summary. */
    public LabPredictions(List<Row> rows) {
        this.points = byPoint(rows);
    }

    /** Rows of each point, in the order of the rows. */
    public static Map<LabPoint, List<Row>> byPoint(List<Row> rows) {
        Map<LabPoint, List<Row>> points = new LinkedHashMap<>();
        rows.forEach(row -> points.computeIfAbsent(LabPoint.parse(row.text(Row.POINT)), _ -> new ArrayList<>()).add(row));
        return points;
    }

    /** True if a median was predicted as well as the model is meant to. */
    public static boolean isRight(double predictedUs, double medianUs) {
        return Math.abs(predictedUs / medianUs - 1) <= TOLERANCE;
    }

    /**
     * Number of launches of one point whose median is within {@link #TOLERANCE} of the median of the others: how well the point itself
     * would predict them.
     */
    public static int agreeing(List<Row> launches) {
        int agreeing = 0;
        for (Row launch : launches) {
            double others = Repeats.median(launches.stream().filter(other -> other != launch)
                    .mapToDouble(other -> other.times().p50()).toArray());
            agreeing += isRight(others, launch.times().p50()) ? 1 : 0;
        }
        return agreeing;
    }

    /** Prediction of a point of the experiment; {@link #NONE} of points that calibrate, and of those without one that does. */
    public QueueModel.Prediction of(LabPoint point) {
        LabPoint known = calibrating(point);
        if (known.equals(point) || !points.containsKey(known)) {
            return NONE;
        }
        double thresholdNs = point.setting(PgasKey.HELPER_THRESHOLD).duration(PgasKey.HELPER_THRESHOLD).toNanos();
        if (point.requesters() == 1) {
            long samples = points.get(point).stream().mapToLong(row -> row.times().samples()).sum();
            double turnNs = NS_PER_US * mean(point, LabReport.TURN_ALONE);
            double us = new MedianModel(times(known), thresholdNs, SEED).medianUs(point, samples,
                    point.kernelNs() > 0 && turnNs > 0 ? turnNs : point.kernelNs());
            return new QueueModel.Prediction(us, Double.NaN, Double.NaN);
        }
        QueueModel.Service service = service(point);
        return service == null ? NONE : new QueueModel(times(known), service, thresholdNs, SEED).of(point);
    }

    private TimeQuantiles times(LabPoint point) {
        List<Row> rows = points.get(point);
        if (rows.stream().allMatch(row -> row.times().encoded() != null)) {
            Histogram all = HistogramLog.merged(rows.stream().map(HistogramLog::of).toList());
            return TimeQuantiles.of(all);
        }
        return TimeQuantiles.of(rows.getFirst().times());
    }

    /**
     * The point whose times a prediction takes: one requester, closed loop, idle owner; at the same moments if the plan has that,
     * else one request after the other. While the owner computes, {@code auto} is a helper that begins later. Of several requesters
     * who do not wait for the owner's turn it is one of them beside the same owner, if the plan has that.
     */
    private LabPoint calibrating(LabPoint point) {
        LabPoint alone = point.with(LabPoint.REQUESTERS, "1").with(LabPoint.ARRIVALS, "closed").with(LabPoint.LOAD, "0");
        if (point.requesters() > 1 && point.isServedAtOnce() && points.containsKey(alone)) {
            return alone;
        }
        LabPoint same = point.with(LabPoint.OPERATION, point.text(LabPoint.OPERATION).equals("overlap") ? "put"
                : point.text(LabPoint.OPERATION)).with(LabPoint.ARRIVALS, "closed").with(LabPoint.OWNER, "idle")
                .with(LabPoint.REQUESTERS, "1");
        if (point.kernelNs() > 0 && point.text(LabPoint.HELPER).equals("auto")
                && points.containsKey(same.with(LabPoint.HELPER, "on"))) {
            same = same.with(LabPoint.HELPER, "on");
        }
        LabPoint after = same.with(LabPoint.KERNEL_MS, "0");
        boolean atTheSame = point.text(LabPoint.ARRIVALS).equals("closed") && !point.text(LabPoint.OPERATION).equals("overlap");
        return atTheSame && points.containsKey(same) || !points.containsKey(after) ? same : after;
    }

    /** Parts of a request that belong to the one who serves; null if no point has them. */
    private QueueModel.Service service(LabPoint point) {
        if (point.text(LabPoint.HELPER).equals(LabPoint.RESIDENT)) {
            return QueueModel.Service.NONE; // each requester has a block of its own
        }
        LabPoint one = point.with(LabPoint.HELPER, "on").with(LabPoint.REQUESTERS, "1").with(LabPoint.ARRIVALS, "closed");
        return points.keySet().stream().filter(other -> other.kernelNs() > 0 && isServed(other)
                        && one.with(LabPoint.KERNEL_MS, other.text(LabPoint.KERNEL_MS))
                                .with(LabPoint.OWNER, other.text(LabPoint.OWNER)).equals(other))
                .min(Comparator.comparingLong(LabPoint::kernelNs).thenComparing(LabPoint::toString))
                .map(other -> new QueueModel.Service(partNs(other, RequestParts.WAKE_UP),
                        partNs(other, RequestParts.COPY) + partNs(other, RequestParts.COMPLETION))).orElse(null);
    }

    private boolean isServed(LabPoint point) {
        return mean(point, "helper_requests") >= SERVED_SHARE
                * points.get(point).stream().mapToLong(row -> row.times().samples()).average().orElseThrow();
    }

    private double partNs(LabPoint point, String part) {
        return NS_PER_US * mean(point, part + LabReport.MEDIAN);
    }

    private double mean(LabPoint point, String key) {
        return points.get(point).stream().mapToDouble(row -> row.number(key)).average().orElseThrow();
    }
}
