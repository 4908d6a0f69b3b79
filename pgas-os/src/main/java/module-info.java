/** Linux services that the JDK lacks, for the other modules of pgas4j. */
@SuppressWarnings("module") // the modules that it names are compiled later
module org.pgas4j.os {
    exports org.pgas4j.os to org.pgas4j.device, org.pgas4j.fastpath, org.pgas4j.helper, org.pgas4j.bootstrap,
            org.pgas4j.space, org.pgas4j.collective, org.pgas4j.runtime, org.pgas4j.directory, org.pgas4j.launch;
    exports org.pgas4j.os.trace to org.pgas4j.device, org.pgas4j.fastpath, org.pgas4j.bootstrap, org.pgas4j.space,
            org.pgas4j.runtime;
}
