/** Kernels written in Java: class file to CUDA C++. */
@SuppressWarnings("module") // the modules that it names are compiled later
module org.pgas4j.kernels {
    requires transitive org.pgas4j.api;

    uses org.pgas4j.kernels.BlockLibrary;

    exports org.pgas4j.kernels to org.pgas4j.kernel.runtime, org.pgas4j.runtime, org.pgas4j.launch;
}
