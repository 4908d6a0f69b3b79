package org.pgas4j.helper;

import jdk.jfr.Category;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/** A request that a helper has served for a rank, at its end; the times are those of {@link org.pgas4j.HelperStats}. */
@Name("org.pgas4j.HelperService")
@Label("Helper service")
@Category("pgas4j")
@StackTrace(false)
@Enabled(false)
final class ServiceEvent extends Event {

    private static final ServiceEvent PROBE = new ServiceEvent();

    @Label("Rank")
    int rank;

    @Label("Queue wait")
    @Timespan(Timespan.NANOSECONDS)
    long queueWait;

    @Label("Wake-up")
    @Timespan(Timespan.NANOSECONDS)
    long wakeUp;

    @Label("Copy")
    @Timespan(Timespan.NANOSECONDS)
    long copy;

    @Label("Completion")
    @Timespan(Timespan.NANOSECONDS)
    long completion;

    static boolean isOn() {
        return PROBE.isEnabled();
    }

    static void record(int rank, long queueWait, long wakeUp, long copy, long completion) {
        ServiceEvent event = new ServiceEvent();
        event.rank = rank;
        event.queueWait = queueWait;
        event.wakeUp = wakeUp;
        event.copy = copy;
        event.completion = completion;
        event.commit();
    }
}
