/** Control plane between the JVMs of a job, for the other modules of pgas4j. */
@SuppressWarnings("module") // the modules that it names are compiled later
module org.pgas4j.bootstrap {
    requires transitive org.pgas4j.api;
    requires org.pgas4j.os;
    requires com.grack.nanojson;
    requires io.netty.buffer;
    requires io.netty.codec;
    requires io.netty.common;
    requires io.netty.handler;
    requires io.netty.transport;
    requires java.management;
    requires transitive jdk.jfr;
    requires jdk.net;

    exports org.pgas4j.bootstrap to org.pgas4j.space, org.pgas4j.collective, org.pgas4j.runtime, org.pgas4j.directory,
            org.pgas4j.launch;
    exports org.pgas4j.bootstrap.event to org.pgas4j.space, org.pgas4j.kernel.runtime, org.pgas4j.runtime;
    exports org.pgas4j.bootstrap.job to org.pgas4j.runtime, org.pgas4j.launch;
    exports org.pgas4j.bootstrap.node to org.pgas4j.space, org.pgas4j.runtime, org.pgas4j.directory, org.pgas4j.launch;
    exports org.pgas4j.bootstrap.stats to org.pgas4j.runtime, org.pgas4j.launch;
    exports org.pgas4j.bootstrap.trace to org.pgas4j.runtime, org.pgas4j.launch;
    exports org.pgas4j.bootstrap.watch to org.pgas4j.space, org.pgas4j.collective, org.pgas4j.runtime,
            org.pgas4j.launch;

    uses org.pgas4j.bootstrap.job.JobSource;
    uses org.pgas4j.bootstrap.node.NodeDirectoryProvider;
}
