package org.pgas4j.space.sync;

import java.security.CodeSource;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.pgas4j.Rank;

/** Place of a program that has called the library. Any thread. */
public final class CallSite {

    private static final List<String> LIBRARY = new CopyOnWriteArrayList<>();

    /** A class of {@code pgas-library}, which this module does not know and a program need not have. */
    private static final String OF_LIBRARY = "org.pgas4j.array.GlobalArray";

    static {
        addLibrary(CallSite.class);
        addLibrary(Rank.class);
    }

    private CallSite() {
    }

    /** Adds the library that a program need not have, when a line is wanted first: the start of a job needs none. */
    private static final class Optional {

        static {
            addLibrary(OF_LIBRARY);
        }

        private Optional() {
        }

        static void add() {
        }
    }

    /** Makes the jar, or the folder, that has a class one of the library. */
    public static void addLibrary(Class<?> type) {
        CodeSource source = source(type);
        if (source != null) {
            LIBRARY.add(source.getLocation().toString());
        }
    }

    private static void addLibrary(String type) {
        for (ClassLoader loader : new ClassLoader[] {CallSite.class.getClassLoader(), Thread.currentThread().getContextClassLoader()}) {
            try {
                addLibrary(Class.forName(type, false, loader));
                return;
            } catch (ClassNotFoundException | LinkageError _) {
                // the next one may have it
            }
        }
    }

    /** File and line of the nearest frame that is neither the library's nor Java's own. */
    public static String find() {
        Optional.add();
        return StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE).walk(frames -> frames
                .filter(frame -> !isLibrary(frame.getDeclaringClass())).findFirst())
                .map(frame -> frame.getFileName() + ":" + frame.getLineNumber()).orElse("an unknown line");
    }

    /** The nearest frame of an exception that is neither the library's nor Java's own, if the thread's classes can be found. */
    public static java.util.Optional<StackTraceElement> of(Throwable thrown) {
        Optional.add();
        ClassLoader loader = Thread.currentThread().getContextClassLoader();
        return Arrays.stream(thrown.getStackTrace()).filter(frame -> isProgram(frame, loader)).findFirst();
    }

    private static boolean isProgram(StackTraceElement frame, ClassLoader loader) {
        try {
            return !isLibrary(Class.forName(frame.getClassName(), false, loader));
        } catch (ClassNotFoundException | LinkageError _) {
            return false; // a class of another loader, or one made at run time
        }
    }

    private static boolean isLibrary(Class<?> type) {
        CodeSource source = source(type);
        return source == null || LIBRARY.contains(source.getLocation().toString());
    }

    private static CodeSource source(Class<?> type) {
        return type.getProtectionDomain().getCodeSource();
    }
}
