/** Services of a rank on its address space; a program uses it through the API alone. */
module org.pgas4j.runtime {
    requires java.management;
    requires transitive org.pgas4j.api;
    requires org.pgas4j.bootstrap;
    requires org.pgas4j.device;
    requires org.pgas4j.fastpath;
    requires org.pgas4j.helper;
    requires org.pgas4j.kernels;
    requires org.pgas4j.os;
    requires org.pgas4j.space;

    exports org.pgas4j.runtime.forms;

    provides org.pgas4j.kernels.BlockLibrary with org.pgas4j.runtime.blocks.ProgramSource;
    provides org.pgas4j.PgasProvider with org.pgas4j.runtime.RuntimeProvider;
}
