package org.pgas4j.device.cuda;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.pgas4j.CudaCode;
import org.pgas4j.DeviceException;
import org.pgas4j.Kernel;

/** Code of kernels in the forms that the driver loads, and its entry points. */
final class KernelImages {

    private static final Pattern ENTRY = Pattern.compile("\\.entry\\s+([\\w$%]+)");

    private KernelImages() {
    }

    /**
     * The PTX of a kernel, ended by 0.
     *
     * @throws DeviceException if it has no entry point of the kernel's name; names those it has
     */
    static byte[] ptx(Kernel kernel) {
        String text = kernel.code().text();
        List<String> entries = ENTRY.matcher(text).results().map((MatchResult found) -> found.group(1)).toList();
        if (!entries.contains(kernel.name())) {
            throw new DeviceException("kernel " + kernel.name() + ": its PTX has no entry point of that name, but "
                    + (entries.isEmpty() ? "none at all" : entries) + " (expected: .visible .entry " + kernel.name() + "(...))");
        }
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return Arrays.copyOf(bytes, bytes.length + 1);
    }

    /** Declaration that the code of a kernel must have so that its entry point is found. */
    static String needs(Kernel kernel) {
        return switch (kernel.code().form()) {
            case SOURCE -> "its CUDA source needs: extern \"C\" __global__ void " + kernel.name() + "(...)";
            case PTX -> "its PTX needs: .visible .entry " + kernel.name() + "(...)";
            case CUBIN -> "its CUBIN needs an entry point of that name: extern \"C\" __global__ void " + kernel.name()
                    + "(...) in the source";
        };
    }

    /** Form and size, for messages. */
    static String describe(CudaCode code) {
        return code.form() == CudaCode.Form.CUBIN ? "CUBIN of " + code.image().length + " bytes" : code.form() + " of "
                + code.text().length() + " characters";
    }
}
