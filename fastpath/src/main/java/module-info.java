/** Conduits between host segments, and the message protocols on top of them, for the other modules of pgas4j. */
@SuppressWarnings("module") // the modules that it names are compiled later
module org.pgas4j.fastpath {
    requires transitive org.pgas4j.api;
    requires transitive org.pgas4j.device;
    requires org.pgas4j.os;
    requires org.bytedeco.javacpp;

    exports org.pgas4j.fastpath to org.pgas4j.helper, org.pgas4j.space, org.pgas4j.runtime, org.pgas4j.launch;
    exports org.pgas4j.fastpath.conduit to org.pgas4j.helper, org.pgas4j.space, org.pgas4j.kernel.runtime,
            org.pgas4j.collective, org.pgas4j.runtime, org.pgas4j.launch;
    exports org.pgas4j.fastpath.conduit.ucx to org.pgas4j.launch;
    exports org.pgas4j.fastpath.protocol to org.pgas4j.helper, org.pgas4j.space, org.pgas4j.runtime;
    exports org.pgas4j.fastpath.ring to org.pgas4j.helper, org.pgas4j.space, org.pgas4j.runtime;
}
