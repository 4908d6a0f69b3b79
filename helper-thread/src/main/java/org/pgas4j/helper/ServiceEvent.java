package org.pgas4j.helper;

import jdk.jfr.Category;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Registered;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/** A request that a helper has served for a rank, at its end; the times are those of {@link org.pgas4j.HelperStats}. */
@Name("org.pgas4j.HelperService")
@Label("Helper service")
@Category("pgas4j")
@StackTrace(false)
@Enabled(false)
@Registered(false) // not before there is a recording: it would make Java set the flight recorder up
final class ServiceEvent extends Event {

    private static final ServiceEvent PROBE = new ServiceEvent();
    private static volatile boolean known;

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
        if (!known && FlightRecorder.isInitialized()) {
            known = true;
            FlightRecorder.register(ServiceEvent.class);
        }
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
