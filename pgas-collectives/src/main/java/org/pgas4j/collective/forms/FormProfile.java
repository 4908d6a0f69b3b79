package org.pgas4j.collective.forms;

import java.io.IOException;
import java.io.Reader;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Properties;
import org.pgas4j.StreamForm;
import org.pgas4j.UsageException;

/**
 * Tables of forms as files, one for each device and number of members, in one directory: {@code pgas.collective.profiles}. Files
 * are written whole or not at all. Any thread.
 */
public final class FormProfile {

    private static final String[] FORMS = {"packets", "twoshot", "direct"}; // of FormTable.FORMS

    private FormProfile() {
    }

    /** Path of the user's cache: {@code pgas4j/collectives} in {@code $XDG_CACHE_HOME}, or in {@code ~/.cache}. */
    static Path defaultDirectory() {
        String xdg = System.getenv("XDG_CACHE_HOME");
        Path caches = xdg != null && xdg.startsWith("/") ? Path.of(xdg) : Path.of(System.getProperty("user.home"), ".cache");
        return caches.resolve("pgas4j").resolve("collectives");
    }

    /**
     * The file for a device and a number of members.
     *
     * @param setting value of {@code pgas.collective.profiles}: a directory, or {@code auto}
     * @param device  name that the device reports
     */
    public static Path file(String setting, String device, int members) {
        Path directory = setting.equals("auto") ? defaultDirectory() : Path.of(setting);
        return directory.resolve(device.replaceAll("[^A-Za-z0-9]+", "-") + "-" + members + ".properties");
    }

    /**
     * The table of a file; null if there is none.
     *
     * @throws UsageException if it cannot be read
     */
    public static FormTable read(Path file) {
        if (!Files.exists(file)) {
            return null;
        }
        Properties kept = new Properties();
        try (Reader in = Files.newBufferedReader(file)) {
            kept.load(in);
        } catch (IOException | IllegalArgumentException e) {
            throw new UsageException("profile " + file + " cannot be read: " + e.getMessage()
                    + "; remove it, or set pgas.collective.profiles", e);
        }
        long[] limits = new long[FormTable.SIZES];
        for (int i = 0; i < limits.length; i++) {
            // Files from before there were two shots have no size for them.
            boolean isNew = FormTable.FORMS.get(i % FORMS.length) == StreamForm.PACKETS_TWO_SHOT;
            limits[i] = isNew && !kept.containsKey(name(i)) ? limits[i - 1] : size(file, name(i), kept.getProperty(name(i), ""));
        }
        return new FormTable(limits, "profile " + file);
    }

    private static long size(Path file, String name, String text) {
        try {
            long size = Long.parseLong(text);
            if (size >= 0) {
                return size;
            }
        } catch (NumberFormatException e) {
            // reported below with the negative ones
        }
        throw new UsageException("profile " + file + ": " + name + "='" + text
                + "' (expected: a number of bytes); remove it and measure anew: scripts/bench tune");
    }

    private static String name(int i) {
        return StreamCall.values()[i / FORMS.length].text() + "." + FORMS[i % FORMS.length];
    }

    /** Writes a file; the last of several processes that do so at once wins. */
    public static void write(Path file, FormTable table) throws IOException {
        Properties kept = new Properties();
        long[] limits = table.limits();
        for (int i = 0; i < limits.length; i++) {
            kept.setProperty(name(i), Long.toString(limits[i]));
        }
        Files.createDirectories(file.getParent());
        Path part = file.resolveSibling(file.getFileName() + "." + ProcessHandle.current().pid());
        try (Writer out = Files.newBufferedWriter(part)) {
            kept.store(out, "pgas4j: bytes up to which collective operations on streams take a form");
        }
        Files.move(part, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
    }
}
