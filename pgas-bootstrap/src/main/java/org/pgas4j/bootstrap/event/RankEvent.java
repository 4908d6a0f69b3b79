package org.pgas4j.bootstrap.event;

import jdk.jfr.Category;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Registered;

/** An event of one rank; {@link Events} makes it known to the flight recorder. */
@Category("pgas4j")
@Registered(false)
abstract class RankEvent extends Event {

    @Label("Rank")
    int rank;

    RankEvent() {
    }
}
