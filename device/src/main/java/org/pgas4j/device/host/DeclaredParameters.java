package org.pgas4j.device.host;

import java.util.Collections;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.pgas4j.CudaCode;
import org.pgas4j.Kernel;

/**
 * Number of parameters that a kernel's CUDA source declares, if its text shows it plainly. A launch on the host device
 * is checked against it, as the driver checks a launch on a GPU. Thread-safe.
 */
final class DeclaredParameters {

    static final int UNKNOWN = -1;

    private static final Pattern PARAMETER = Pattern.compile("[\\w:]+(\\s+|\\s*[*&]\\s*)[\\w\\s:*&]*\\w+(\\s*\\[\\s*])?");
    /** By code, as kernels may be made for each launch, and name. */
    private static final Map<CudaCode, Map<String, Integer>> COUNTS = Collections.synchronizedMap(new WeakHashMap<>());

    private DeclaredParameters() {
    }

    /** The number, or {@link #UNKNOWN}. */
    static int count(Kernel kernel) {
        return kernel.cuda() == null ? UNKNOWN : COUNTS.computeIfAbsent(kernel.code(), _ -> new ConcurrentHashMap<>())
                .computeIfAbsent(kernel.name(), _ -> read(kernel));
    }

    private static int read(Kernel kernel) {
        String text = withoutComments(kernel.cuda());
        // Begins with what is literal: found by far the fastest in a text of 300,000 characters.
        Matcher found = Pattern.compile("void(?<=\\bvoid)\\s+(?:__launch_bounds__\\s*\\([^()]*\\)\\s*)?"
                + Pattern.quote(kernel.name()) + "\\s*\\(([^()]*)\\)").matcher(text);
        if (!found.find()) {
            return UNKNOWN;
        }
        String list = found.group(1).strip();
        if (list.isEmpty() || list.equals("void")) {
            return 0;
        }
        String[] parameters = list.split(",", -1);
        for (String parameter : parameters) {
            if (!PARAMETER.matcher(parameter.strip()).matches()) {
                return UNKNOWN; // a template's arguments, a macro
            }
        }
        return parameters.length;
    }

    /** The text with a space for each comment. */
    private static String withoutComments(String text) {
        StringBuilder kept = new StringBuilder(text.length());
        int from = 0;
        for (int at = text.indexOf('/'); at >= 0; at = text.indexOf('/', at)) {
            int end = endOfComment(text, at);
            if (end == at) {
                at++; // a division
            } else {
                kept.append(text, from, at).append(' ');
                from = end;
                at = end;
            }
        }
        return kept.append(text, from, text.length()).toString();
    }

    /** Place behind the comment that begins at {@code at}; {@code at} if none does. */
    private static int endOfComment(String text, int at) {
        boolean ofLine = text.startsWith("//", at);
        if (!ofLine && !text.startsWith("/*", at)) {
            return at;
        }
        int found = text.indexOf(ofLine ? "\n" : "*/", at + 2);
        return found < 0 ? text.length() : ofLine ? found : found + 2;
    }
}
