package org.pgas4j.space.sync;

import java.security.CodeSource;
import java.util.Objects;
import org.pgas4j.Rank;

/** Place of a program that has called the library. */
public final class CallSite {

    private CallSite() {
    }

    /** File and line of the nearest frame that is neither the runtime's, the API's nor Java's own. */
    public static String find() {
        return StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE).walk(frames -> frames
                .filter(frame -> !isLibrary(frame.getDeclaringClass())).findFirst())
                .map(frame -> frame.getFileName() + ":" + frame.getLineNumber()).orElse("an unknown line");
    }

    private static boolean isLibrary(Class<?> type) {
        CodeSource source = source(type);
        return source == null || Objects.equals(source.getLocation(), source(CallSite.class).getLocation())
                || Objects.equals(source.getLocation(), source(Rank.class).getLocation());
    }

    private static CodeSource source(Class<?> type) {
        return type.getProtectionDomain().getCodeSource();
    }
}
