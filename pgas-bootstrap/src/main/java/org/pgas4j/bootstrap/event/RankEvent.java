package org.pgas4j.bootstrap.event;

import jdk.jfr.Category;
import jdk.jfr.Event;
import jdk.jfr.Label;

/** An event of one rank. */
@Category("pgas4j")
abstract class RankEvent extends Event {

    @Label("Rank")
    int rank;

    RankEvent() {
    }
}
