package org.pgas4j.device.host;

import java.util.Collections;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.pgas4j.Kernel;

/**
 * Number of parameters that a kernel's CUDA source declares, if its text shows it plainly. A launch on the host device
 * is checked against it, as the driver checks a launch on a GPU. Thread-safe.
 */
final class DeclaredParameters {

    static final int UNKNOWN = -1;

    private static final Pattern COMMENT = Pattern.compile("//[^\\n]*|/\\*.*?\\*/", Pattern.DOTALL);
    private static final Pattern PARAMETER = Pattern.compile("[\\w:]+(\\s+|\\s*[*&]\\s*)[\\w\\s:*&]*\\w+(\\s*\\[\\s*])?");
    private static final Map<Kernel, Integer> COUNTS = Collections.synchronizedMap(new WeakHashMap<>());

    private DeclaredParameters() {
    }

    /** The number, or {@link #UNKNOWN}. */
    static int count(Kernel kernel) {
        return kernel.cuda() == null ? UNKNOWN : COUNTS.computeIfAbsent(kernel, DeclaredParameters::read);
    }

    private static int read(Kernel kernel) {
        String text = COMMENT.matcher(kernel.cuda()).replaceAll(" ");
        Matcher found = Pattern.compile("\\bvoid\\s+(?:__launch_bounds__\\s*\\([^()]*\\)\\s*)?" + Pattern.quote(kernel.name())
                + "\\s*\\(([^()]*)\\)").matcher(text);
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
}
