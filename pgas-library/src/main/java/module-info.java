/** Global arrays of several dimensions, files, snapshots, loops, task pools and a job-wide clock, written with the API alone. */
module org.pgas4j.library {
    requires transitive org.pgas4j.api;

    exports org.pgas4j.array;
    exports org.pgas4j.clock;
    exports org.pgas4j.io;
    exports org.pgas4j.loop;
    exports org.pgas4j.task;
}
