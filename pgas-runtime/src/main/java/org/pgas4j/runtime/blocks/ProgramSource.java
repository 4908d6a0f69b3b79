package org.pgas4j.runtime.blocks;

import org.pgas4j.GridProgram;
import org.pgas4j.kernels.BlockLibrary;

/** The service by which commands compile block programs. */
public final class ProgramSource implements BlockLibrary {

    /** For the service loader. */
    public ProgramSource() {
    }

    @Override
    public String expand(String name, String source) {
        return DeviceLibrary.kernel(new GridProgram(name, source, null), DeviceLibrary.Form.PLAIN).cuda();
    }
}
