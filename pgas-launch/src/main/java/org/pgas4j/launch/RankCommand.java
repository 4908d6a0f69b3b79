package org.pgas4j.launch;

import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.pgas4j.launch.doctor.JvmFlags;

/** The command line of a rank's JVM. The same for all of a job: each gets its own part through a pipe. */
final class RankCommand {

    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_@%+=:,./-]+");
    private static final List<String> ALWAYS = List.of(
            "-XX:+ExitOnOutOfMemoryError",
            "-Dio.netty.jfr.enabled=false"); // its events would start the flight recorder

    /** Names a class archive; set by scripts/lib.sh, which checks that it fits the jars. */
    static final String AOT = "pgas.launch.aot";

    /** The property that JCuda reads: a program's own temporary directory is not changed. */
    private static final String JCUDA_PLACE = "org.pgas4j.tmpdir";

    /** Options that exclude the launcher's own. */
    private static final Predicate<String> CLASS_SHARING = Pattern.compile("AOT|-Xshare|SharedArchive").asPredicate();

    private RankCommand() {
    }

    /**
     * @param processes JVMs on this node
     * @param natives   directory of the native libraries
     * @param cache     of pgas4j, owner-only
     * @param temporary for libraries that unpack others, owner-only
     */
    static List<String> of(JobOptions options, int processes, Path natives, Path cache, Path temporary) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(JvmFlags.needed());
        command.addAll(ALWAYS);
        if (processes > 1) {
            // each JVM would take a quarter of the memory; together they get half
            command.add("-XX:MaxRAMPercentage=" + Math.min(25.0, 50.0 / processes));
        }
        String remembered = System.getProperty(AOT);
        // Java takes them for a class path that begins as the one they were made with: not for one with the user's jars in front.
        if (remembered != null && options.classPath().startsWith(System.getProperty("java.class.path"))
                && options.javaOptions().stream().noneMatch(CLASS_SHARING)) {
            command.addAll(cached(remembered));
        }
        command.add("-D" + JCUDA_PLACE + "=" + temporary);
        command.add("-Djava.library.path=" + natives + File.pathSeparator + System.getProperty("java.library.path"));
        // JavaCPP: load the libraries in place, without a copy in a cache
        command.add("-Dorg.bytedeco.javacpp.pathsFirst=true");
        command.add("-Dorg.bytedeco.javacpp.cacheLibraries=false");
        command.add("-Dorg.bytedeco.javacpp.cachedir=" + cache.resolve("javacpp"));
        options.settings().forEach((key, value) -> command.add("-D" + key + "=" + value));
        command.addAll(options.javaOptions());
        command.add("-cp");
        command.add(options.classPath());
        command.add(RankMain.class.getName());
        command.add(options.mainClass());
        command.addAll(options.arguments());
        return command;
    }

    /**
     * Options of a JVM that takes its classes from a cache, as {@code scripts/lib.sh} has them too. Profiles are not taken: those
     * of a short job make the compiler choose code for the shortest transfers that takes several times as long as the one it
     * chooses by itself. Code is not taken either: that of another host may be none for this one's processor.
     */
    static List<String> cached(Object cache) {
        return List.of("-XX:AOTCache=" + cache, "-XX:+UnlockDiagnosticVMOptions", "-XX:-AOTAdapterCaching",
                "-XX:-AOTReplayTraining", "-Xlog:aot=off", "-Xlog:cds=off");
    }

    /** As one would type it into a shell. */
    static String quoted(List<String> command) {
        StringBuilder line = new StringBuilder();
        for (String word : command) {
            line.append(line.isEmpty() ? "" : " ");
            line.append(PLAIN.matcher(word).matches() ? word : "'" + word.replace("'", "'\\''") + "'");
        }
        return line.toString();
    }
}
