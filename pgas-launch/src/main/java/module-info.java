/** Launcher of jobs, its commands, and the joining of jobs that other launchers have started. */
module org.pgas4j.launch {
    requires transitive org.pgas4j.api;
    requires org.pgas4j.bootstrap;
    requires org.pgas4j.device;
    requires org.pgas4j.fastpath;
    requires org.pgas4j.helper;
    requires org.pgas4j.kernels;
    requires org.pgas4j.os;
    requires org.pgas4j.space;
    requires transitive info.picocli;

    exports org.pgas4j.launch.command;

    opens org.pgas4j.launch to info.picocli;
    opens org.pgas4j.launch.command to info.picocli;
    opens org.pgas4j.launch.doctor to info.picocli;
    opens org.pgas4j.launch.kernels to info.picocli;

    provides org.pgas4j.bootstrap.job.JobSource with org.pgas4j.launch.LaunchedJobs, org.pgas4j.launch.join.JoinedJobs;
}
