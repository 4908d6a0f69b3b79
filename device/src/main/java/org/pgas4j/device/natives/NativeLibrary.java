package org.pgas4j.device.natives;

import org.bytedeco.javacpp.Loader;
import org.pgas4j.DeviceException;

/**
 * A native library behind a JavaCPP preset, loaded at first use. A library that cannot be loaded is reported in one
 * line, the same at every use; the JVM would print a stack trace first and throw {@link NoClassDefFoundError} later.
 * Thread-safe.
 */
public final class NativeLibrary {

    private final String what;
    private final String help;
    private final String preset;
    private volatile boolean loaded;
    private String failure;

    /**
     * Names a library, and does not load it yet.
     *
     * @param what   name of the library, for messages
     * @param help   remedy if it cannot be loaded
     * @param preset name of the preset's class with the native methods
     */
    public NativeLibrary(String what, String help, String preset) {
        this.what = what;
        this.help = help;
        this.preset = preset;
    }

    /**
     * Loads it, unless it is loaded.
     *
     * @throws DeviceException if it cannot be loaded
     */
    public void require() {
        if (!loaded) {
            load();
        }
    }

    private synchronized void load() {
        if (loaded) {
            return;
        }
        if (failure == null) {
            try {
                Loader.load(Class.forName(preset, false, NativeLibrary.class.getClassLoader()));
                loaded = true;
                return;
            } catch (ClassNotFoundException | LinkageError e) {
                failure = "cannot load " + what + ": " + (e instanceof ClassNotFoundException
                        ? "no class " + preset : reason(e)) + "; " + help;
            }
        }
        throw new DeviceException(failure);
    }

    /** The innermost cause of a failure to load, as one line. */
    public static String reason(Throwable failure) {
        Throwable inner = failure;
        while (inner.getCause() != null && inner.getCause() != inner) {
            inner = inner.getCause();
        }
        String text = inner.getMessage();
        return text == null ? inner.toString() : text.lines().findFirst().orElse(inner.toString()).strip();
    }
}
