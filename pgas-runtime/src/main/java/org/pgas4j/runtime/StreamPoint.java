package org.pgas4j.runtime;

import java.util.List;
import org.pgas4j.Event;
import org.pgas4j.device.StreamEvent;
import org.pgas4j.space.sync.StreamMeeting;
import org.pgas4j.space.transfer.Completions;

/**
 * A point in a rank's stream.
 *
 * @param meetings collective operations before it, for the checks
 */
record StreamPoint(StreamEvent event, Completions completions, List<StreamMeeting> meetings) implements Event {

    /** The device's event behind a program's. */
    static StreamEvent eventOf(Event event) {
        return of(event).event;
    }

    /** A program's event as one of this runtime. */
    static StreamPoint of(Event event) {
        if (event instanceof StreamPoint point) {
            return point;
        }
        throw new IllegalArgumentException("not an event of this runtime: " + event);
    }

    @Override
    public boolean isDone() {
        if (!event.isDone()) {
            return false;
        }
        meetings.forEach(StreamMeeting::leave);
        return true;
    }

    @Override
    public void sync() {
        completions.syncEvent(event);
        meetings.forEach(StreamMeeting::leave);
    }

    @Override
    public double millisSince(Event start) {
        return event.millisSince(eventOf(start));
    }

    @Override
    public void close() {
        event.close();
    }
}
