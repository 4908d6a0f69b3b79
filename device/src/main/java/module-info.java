/** Memory, streams and kernels of one device, for the other modules of pgas4j. */
@SuppressWarnings("module") // the modules that it names are compiled later
module org.pgas4j.device {
    requires transitive org.pgas4j.api;
    requires org.pgas4j.os;
    requires jcuda;
    requires org.bytedeco.cuda;
    requires org.bytedeco.javacpp;
    requires org.bytedeco.openblas;

    exports org.pgas4j.device to org.pgas4j.fastpath, org.pgas4j.helper, org.pgas4j.space, org.pgas4j.kernel.runtime,
            org.pgas4j.collective, org.pgas4j.runtime, org.pgas4j.launch;
    exports org.pgas4j.device.cuda to org.pgas4j.runtime, org.pgas4j.launch;
    exports org.pgas4j.device.host to org.pgas4j.helper, org.pgas4j.kernel.runtime, org.pgas4j.runtime;
    exports org.pgas4j.device.natives to org.pgas4j.fastpath, org.pgas4j.launch;
    exports org.pgas4j.device.product to org.pgas4j.runtime;
    exports org.pgas4j.device.select to org.pgas4j.runtime, org.pgas4j.launch;
}
