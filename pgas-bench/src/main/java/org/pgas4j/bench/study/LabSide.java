package org.pgas4j.bench.study;

import java.util.LinkedHashMap;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.pgas4j.bench.result.SampleTimes;

/** A rank's part in a point of the laboratory, and what it found; run or rehearsed once, by the rank's thread. */
abstract class LabSide {

    /** Columns of the point's row. */
    final Map<String, Object> found = new LinkedHashMap<>();
    /** Times of requests, picoseconds; none on the owner. */
    final Histogram times = SampleTimes.histogram();
    /** Number of requests, those that are not in {@link #times} too. */
    long requests;
    /** Time from the first request to the end of the last. */
    long elapsedNs;
    /** False if times still changed when the warm-up was over. */
    boolean settled = true;
    /** Requests of {@link #requests} that a resident block of the rank's device has carried out. */
    long byBlock;
    /** Atomic additions, those of the warm-up too. */
    long added;

    /** Collective: does what the point says. */
    abstract void run();

    /** Collective: the point's requests, one after the other and beside the owner's turns, without measuring them. */
    abstract void rehearse(double seconds);
}
