/** Address space of a rank, for the runtime. */
@SuppressWarnings("module") // the modules that it names are compiled later
module org.pgas4j.space {
    requires transitive org.pgas4j.api;
    requires transitive org.pgas4j.bootstrap;
    requires transitive org.pgas4j.device;
    requires transitive org.pgas4j.fastpath;
    requires transitive org.pgas4j.helper;
    requires org.pgas4j.os;

    exports org.pgas4j.space.check to org.pgas4j.runtime;
    exports org.pgas4j.space.heap to org.pgas4j.runtime;
    exports org.pgas4j.space.lock to org.pgas4j.runtime;
    exports org.pgas4j.space.memory to org.pgas4j.kernel.runtime, org.pgas4j.collective, org.pgas4j.runtime,
            org.pgas4j.launch;
    exports org.pgas4j.space.message to org.pgas4j.runtime;
    exports org.pgas4j.space.remote to org.pgas4j.runtime;
    exports org.pgas4j.space.sync to org.pgas4j.kernel.runtime, org.pgas4j.collective, org.pgas4j.runtime;
    exports org.pgas4j.space.transfer to org.pgas4j.collective, org.pgas4j.runtime;
}
