/** Launching of kernels written in Java, for the runtime. */
@SuppressWarnings("module") // the modules that it names are compiled later
module org.pgas4j.kernel.runtime {
    requires transitive org.pgas4j.api;
    requires transitive org.pgas4j.device;
    requires transitive org.pgas4j.kernels;
    requires transitive org.pgas4j.space;
    requires org.pgas4j.bootstrap;

    exports org.pgas4j.kernel.runtime to org.pgas4j.runtime;
}
