package org.pgas4j.launch.kernels;

import java.util.Locale;
import org.pgas4j.bootstrap.stats.JsonText;
import org.pgas4j.kernels.ScannedKernel;

/**
 * Result for one kernel.
 *
 * @param failure messages of the compiler, or null
 */
record KernelLine(ScannedKernel kernel, String failure) {

    boolean isGood() {
        return kernel.refusal() == null && failure == null;
    }

    private String verdict() {
        return kernel.refusal() != null ? "refused" : failure != null ? "FAIL" : "ok";
    }

    private String form() {
        return kernel.form().name().toLowerCase(Locale.ROOT).replace('_', ' ') + (kernel.isFast() ? ", fast" : "");
    }

    private String message() {
        return kernel.refusal() != null ? kernel.refusal() : failure;
    }

    /** {@code ok  File.java:7  Class.method  loop}, and a refusal or failure below. */
    String text() {
        return String.format(Locale.ROOT, "%-7s  %s:%d  %s  %s%s", verdict(), kernel.file(), kernel.line(), kernel.origin(), form(),
                message() == null ? "" : "\n         " + message().strip().replace("\n", "\n         "));
    }

    /** An object on one line. */
    String json() {
        return "{\"verdict\":" + JsonText.quoted(verdict()) + ",\"file\":" + JsonText.quoted(kernel.file()) + ",\"line\":"
                + kernel.line() + ",\"kernel\":" + JsonText.quoted(kernel.origin()) + ",\"form\":" + JsonText.quoted(form())
                + ",\"message\":" + JsonText.quoted(message() == null ? "" : message()) + "}";
    }
}
