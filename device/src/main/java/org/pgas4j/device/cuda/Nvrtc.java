package org.pgas4j.device.cuda;

import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;
import org.bytedeco.cuda.global.nvrtc;
import org.bytedeco.cuda.nvrtc._nvrtcProgram;
import org.bytedeco.javacpp.BytePointer;
import org.bytedeco.javacpp.PointerPointer;
import org.bytedeco.javacpp.SizeTPointer;
import org.pgas4j.CudaCode;
import org.pgas4j.DeviceException;
import org.pgas4j.device.natives.LibraryFiles;
import org.pgas4j.device.natives.NativeLibrary;
import org.pgas4j.os.JvmEnd;

/** Calls NVRTC, CUDA's compiler at run time, as the only class. Thread-safe. */
final class Nvrtc implements SourceCompiler {

    private static final NativeLibrary LIBRARY = new NativeLibrary("NVRTC",
            "kernels need libnvrtc of CUDA 13, whose lib64 is put on LD_LIBRARY_PATH, and libcuda.so.1 of the driver",
            "org.bytedeco.cuda.global.nvrtc");

    private static final int SUCCESS = 0;
    private static final int COMPILATION = 6; // NVRTC_ERROR_COMPILATION

    /** Version of NVRTC, such as {@code 13.0}. */
    @Override
    public String version() {
        LIBRARY.require();
        int[] major = new int[1];
        int[] minor = new int[1];
        check("nvrtcVersion", nvrtc.nvrtcVersion(major, minor), "");
        return major[0] + "." + minor[0];
    }

    @Override
    public void prepare() {
        LibraryFiles.readAhead("libnvrtc.so.13", "libnvrtc-builtins.so.13");
        version();
    }

    /** {@inheritDoc} The end of this JVM waits for it. */
    @Override
    public byte[] compile(String name, CudaCode code, String architecture, List<String> options) {
        LIBRARY.require();
        JvmEnd.get().beginCall();
        try {
            return compileBeforeEnd(name, code, architecture, options);
        } finally {
            JvmEnd.get().endCall();
        }
    }

    private static byte[] compileBeforeEnd(String name, CudaCode code, String architecture, List<String> options) {
        int headers = code.headers().size();
        try (_nvrtcProgram program = new _nvrtcProgram();
                BytePointer source = new BytePointer(code.text(), StandardCharsets.UTF_8);
                BytePointer file = new BytePointer(name + ".cu", StandardCharsets.UTF_8);
                PointerPointer<BytePointer> texts = pointers(code.headers().values());
                PointerPointer<BytePointer> names = pointers(code.headers().keySet())) {
            check("nvrtcCreateProgram", nvrtc.nvrtcCreateProgram(program, source, file, headers, texts, names), "kernel " + name);
            try {
                compile(program, name, architecture, options);
                return cubin(program, name);
            } finally {
                check("nvrtcDestroyProgram", nvrtc.nvrtcDestroyProgram(program), "kernel " + name);
            }
        }
    }

    /** Null for none, which closes as nothing. */
    private static PointerPointer<BytePointer> pointers(Collection<String> strings) {
        return strings.isEmpty() ? null : new PointerPointer<>(strings.toArray(String[]::new), StandardCharsets.UTF_8);
    }

    private static void compile(_nvrtcProgram program, String name, String architecture, List<String> options) {
        String[] all = Stream.concat(Stream.of("--gpu-architecture=" + architecture), options.stream())
                .toArray(String[]::new);
        try (PointerPointer<BytePointer> pointers = new PointerPointer<>(all, StandardCharsets.UTF_8)) {
            int code = nvrtc.nvrtcCompileProgram(program, all.length, pointers);
            if (code != SUCCESS) {
                throw new DeviceException("kernel " + name + (code == COMPILATION ? " does not compile for "
                        : " cannot be compiled for ") + architecture + ": " + error(code) + "\n" + log(program, name));
            }
        }
    }

    private static byte[] cubin(_nvrtcProgram program, String name) {
        try (SizeTPointer size = new SizeTPointer(1)) {
            check("nvrtcGetCUBINSize", nvrtc.nvrtcGetCUBINSize(program, size), "kernel " + name);
            byte[] cubin = new byte[Math.toIntExact(size.get())];
            check("nvrtcGetCUBIN", nvrtc.nvrtcGetCUBIN(program, cubin), "kernel " + name);
            return cubin;
        }
    }

    private static String log(_nvrtcProgram program, String name) {
        try (SizeTPointer size = new SizeTPointer(1)) {
            check("nvrtcGetProgramLogSize", nvrtc.nvrtcGetProgramLogSize(program, size), "kernel " + name);
            byte[] log = new byte[Math.toIntExact(size.get())];
            check("nvrtcGetProgramLog", nvrtc.nvrtcGetProgramLog(program, log), "kernel " + name);
            return new String(log, StandardCharsets.UTF_8).replace("\0", "").strip();
        }
    }

    private static void check(String call, int code, String context) {
        if (code != SUCCESS) {
            throw new DeviceException(call + ": " + error(code) + (context.isEmpty() ? "" : ", " + context));
        }
    }

    private static String error(int code) {
        return nvrtc.nvrtcGetErrorString(code).getString() + " (" + code + ")";
    }
}
