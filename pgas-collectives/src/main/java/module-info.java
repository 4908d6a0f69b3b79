/** Collective operations, for the runtime. */
@SuppressWarnings("module") // the modules that it names are compiled later
module org.pgas4j.collective {
    requires transitive org.pgas4j.api;
    requires transitive org.pgas4j.device;
    requires transitive org.pgas4j.space;
    requires org.pgas4j.bootstrap;
    requires org.pgas4j.fastpath;
    requires org.pgas4j.helper;
    requires org.pgas4j.os;

    exports org.pgas4j.collective to org.pgas4j.runtime;
    exports org.pgas4j.collective.forms to org.pgas4j.runtime;
}
