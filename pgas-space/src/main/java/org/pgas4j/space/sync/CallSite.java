package org.pgas4j.space.sync;

import java.security.CodeSource;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.pgas4j.Rank;

/** Place of a program that has called the library. Any thread. */
public final class CallSite {

    private static final List<String> LIBRARY = new CopyOnWriteArrayList<>();

    static {
        addLibrary(CallSite.class);
        addLibrary(Rank.class);
    }

    private CallSite() {
    }

    /** Makes the jar, or the folder, that has a class one of the library. */
    public static void addLibrary(Class<?> type) {
        CodeSource source = source(type);
        if (source != null) {
            LIBRARY.add(source.getLocation().toString());
        }
    }

    /** File and line of the nearest frame that is neither the library's nor Java's own. */
    public static String find() {
        return StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE).walk(frames -> frames
                .filter(frame -> !isLibrary(frame.getDeclaringClass())).findFirst())
                .map(frame -> frame.getFileName() + ":" + frame.getLineNumber()).orElse("an unknown line");
    }

    private static boolean isLibrary(Class<?> type) {
        CodeSource source = source(type);
        return source == null || LIBRARY.contains(source.getLocation().toString());
    }

    private static CodeSource source(Class<?> type) {
        return type.getProtectionDomain().getCodeSource();
    }
}
