package org.pgas4j.runtime;

import org.pgas4j.Event;
import org.pgas4j.device.StreamEvent;
import org.pgas4j.space.transfer.Completions;

/** A point in a rank's stream. */
record StreamPoint(StreamEvent event, Completions completions) implements Event {

    /** The device's event behind a program's. */
    static StreamEvent eventOf(Event event) {
        if (event instanceof StreamPoint point) {
            return point.event;
        }
        throw new IllegalArgumentException("not an event of this runtime: " + event);
    }

    @Override
    public boolean isDone() {
        return event.isDone();
    }

    @Override
    public void sync() {
        completions.syncEvent(event);
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
