package org.pgas4j.launch;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.pgas4j.UsageException;
import org.pgas4j.launch.files.JobDirectory;

/**
 * Parts of a job that are the same on all its hosts: the files they need and the command of an agent.
 *
 * @param job     id of the job
 * @param options of the job, as given
 * @param path    the class path on this machine
 * @param java    the java command on the hosts
 * @param ship    true to copy the class path also to hosts that have it
 */
record AgentPlan(String job, JobOptions options, ClassPath path, String java, boolean ship) {

    /** The launcher's flags of scripts/lib.sh: its class archive fits the agent too. */
    private static final List<String> FLAGS = List.of("-Xmx64m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
            "-XX:CompileThresholdScaling=10", "-XX:-UsePerfData", "--enable-native-access=ALL-UNNAMED");

    /**
     * Files that a host lacks.
     *
     * @param elements of the class path, to be copied
     * @param forced   true if they are copied because of --ship
     * @param work     directory to work in, or null for the one the shell starts in
     * @param aot      folder with class archives, or null
     */
    record Missing(List<Path> elements, boolean forced, Path work, Path aot) {
    }

    /** Finds out which files a host lacks. */
    Missing ask(RemoteShell shell, NodeShare share) throws IOException {
        List<Path> all = path.all();
        Path here = Path.of("").toAbsolutePath();
        String aot = System.getProperty(RankCommand.AOT);
        StringBuilder script = new StringBuilder("umask 077; LC_ALL=C; ");
        script.append("command -v ").append(RemoteShell.quote(java)).append(" > /dev/null || ")
                .append(RemoteShell.reply("nojava")).append("; ");
        script.append("[ -d ").append(RemoteShell.quote(here.toString())).append(" ] && ")
                .append(RemoteShell.reply("work")).append("; ");
        if (aot != null) {
            script.append("[ -r ").append(RemoteShell.quote(aot)).append(" ] && ").append(RemoteShell.reply("aot"))
                    .append("; ");
        }
        for (int i = 0; i < all.size(); i++) {
            script.append("[ -r ").append(RemoteShell.quote(all.get(i).toString())).append(" ] || ")
                    .append(RemoteShell.reply("missing " + i)).append("; ");
        }
        List<String> answers = shell.run(script.toString());
        if (answers.contains("nojava")) {
            throw new UsageException("there is no " + java + " on " + share.host() + "; give the java command of a Java 25"
                    + " there with --java");
        }
        List<Path> missing = new ArrayList<>();
        for (int i = 0; i < all.size(); i++) {
            if (ship || answers.contains("missing " + i)) {
                missing.add(all.get(i));
            }
        }
        if (options.directory() == null && !answers.contains("work")) {
            options.log("there is no " + here + " on " + share.host() + ": its ranks work where its shell starts");
        }
        Path work = options.directory() != null ? options.directory() : answers.contains("work") ? here : null;
        return new Missing(missing, ship, work, answers.contains("aot") ? Path.of(aot).getParent() : null);
    }

    /** Makes the job's directory for the process of the shell, as {@link JobDirectory} does. */
    Path makeDirectory(RemoteShell shell, NodeShare share) throws IOException {
        String name = share.directoryName(job);
        List<String> answers = shell.run("r=${XDG_RUNTIME_DIR:-/dev/shm}; [ -w \"$r\" ] || r=/dev/shm; "
                + "p=$r/pgas-$(id -u)-; t=$p.new-$$-" + name + "; d=$p" + name + "; "
                + "if mkdir -m 700 \"$t\" && echo \"$(cat /proc/sys/kernel/random/boot_id) $(readlink /proc/self/ns/pid) $$"
                + " $(sed 's/.*) //' /proc/$$/stat | cut -d' ' -f20)\" > \"$t/" + JobDirectory.OWNER + "\""
                + " && mv \"$t\" \"$d\"; then echo \"" + RemoteShell.MARK + "directory $d\"; fi");
        return answers.stream().filter(answer -> answer.startsWith("directory "))
                .map(answer -> Path.of(answer.substring("directory ".length()))).findFirst()
                .orElseThrow(() -> new UsageException("cannot make a directory for the job on " + share.host()
                        + " in $XDG_RUNTIME_DIR or /dev/shm there"));
    }

    /** The class path on a host to which some elements were copied. */
    ClassPath classPath(Map<Path, Path> moved) {
        return new ClassPath(path.own().stream().map(element -> moved.getOrDefault(element, element)).toList(),
                path.program().stream().map(element -> moved.getOrDefault(element, element)).toList());
    }

    static String text(List<Path> elements) {
        return elements.stream().map(Path::toString).collect(Collectors.joining(":"));
    }

    /** The agent's command line, for a shell. */
    String agentCommand(NodeAgent.Found found, Missing missing) {
        List<String> command = new ArrayList<>(List.of(java));
        if (missing.aot() != null && missing.elements().isEmpty()) {
            command.addAll(RankCommand.cached(missing.aot().resolve("launcher")));
            command.add("-D" + RankCommand.AOT + "=" + missing.aot().resolve("rank"));
        }
        command.addAll(FLAGS);
        command.addAll(List.of("-cp", text(found.classPath().own()), AgentMain.class.getName()));
        return RankCommand.quoted(command);
    }
}
