package org.pgas4j;

import java.util.Locale;

/** Kinds of device that ranks compute on. */
public enum Backend {
    /** The host device: off-heap memory, Java bodies of kernels, OpenBLAS; needs no GPU. */
    HOST,
    /** NVIDIA GPUs. */
    CUDA;

    /** As settings and results have it: {@code host} or {@code cuda}. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
