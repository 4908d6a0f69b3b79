/** Ownership of a rank's endpoint, and the threads that make progress for busy ranks, for the other modules of pgas4j. */
@SuppressWarnings("module") // the modules that it names are compiled later
module org.pgas4j.helper {
    requires transitive org.pgas4j.api;
    requires transitive org.pgas4j.fastpath;
    requires org.pgas4j.os;
    requires HdrHistogram;
    requires jdk.jfr;

    exports org.pgas4j.helper.resident to org.pgas4j.space, org.pgas4j.runtime;
    exports org.pgas4j.helper to org.pgas4j.space, org.pgas4j.collective, org.pgas4j.runtime, org.pgas4j.launch;
}
