package org.pgas4j.launch;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.pgas4j.testkit.harness.ProcessHarness;

/** A launcher in a JVM of its own, with job directories of its own. */
final class Launched implements AutoCloseable {

    /** 150 MB of native libraries, put there once. */
    private static final Path CACHE = Path.of("target", "launched-cache").toAbsolutePath();
    private static final Pattern PID = Pattern.compile("pid (\\d+) process (\\d+) directory (.*)");

    final Process process;
    final List<String> out = new CopyOnWriteArrayList<>();
    final List<String> err = new CopyOnWriteArrayList<>();
    private final List<Thread> readers = new ArrayList<>();

    private Launched(Process process) {
        this.process = process;
        readers.add(read(process.getInputStream(), out));
        readers.add(read(process.getErrorStream(), err));
    }

    /** Starts {@code pgasrun args... LaunchProgram program...}; {@code --} separates the two. */
    static Launched start(Path folder, String... words) throws IOException {
        return start(ProcessHarness.launcher(words(words)), folder, CACHE);
    }

    /** Starts {@code pgasrun options... program args...} on the host device; spaces separate the options. */
    static Launched startProgram(Path folder, String options, Class<?> program, String... args) throws IOException {
        List<String> all = new ArrayList<>(List.of("--device", "host"));
        all.addAll(List.of(options.split(" ")));
        all.add(program.getName());
        all.addAll(List.of(args));
        return start(folder, all.toArray(String[]::new));
    }

    /** As {@link #start}, with the class path that this JVM has, directories and all. */
    static Launched startPlain(Path folder, String... words) throws IOException {
        return start(ProcessHarness.launcher(System.getProperty("surefire.test.class.path",
                System.getProperty("java.class.path")), List.of(), words(words)), folder, CACHE);
    }

    /** The same with another command in front, which sets up where it runs. */
    static Launched startBehind(Path folder, List<String> wrapper, String... words) throws IOException {
        return start(behind(wrapper, words), folder, CACHE);
    }

    /** As {@link #startBehind}, with a cache in {@code folder}: for one that cannot write, or name, that of the others. */
    static Launched startIn(Path folder, List<String> wrapper, String... words) throws IOException {
        return start(behind(wrapper, words), folder, folder.resolve("cache"));
    }

    private static List<String> behind(List<String> wrapper, String... words) {
        List<String> command = new ArrayList<>(wrapper);
        command.addAll(ProcessHarness.launcher(words(words)));
        return command;
    }

    private static List<String> words(String... words) {
        List<String> all = new ArrayList<>(ProcessHarness.QUICK);
        for (String word : words) {
            all.add(word.equals("--") ? LaunchProgram.class.getName() : word);
        }
        return all;
    }

    private static Launched start(List<String> command, Path folder, Path cache) throws IOException {
        // Tests send signals. What is ignored where Maven was started, as behind nohup or &, a JVM would leave so.
        List<String> all = new ArrayList<>(List.of("env", "--default-signal=HUP,INT,QUIT,TERM"));
        all.addAll(command);
        ProcessBuilder builder = new ProcessBuilder(all);
        builder.environment().put("XDG_CACHE_HOME", cache.toString());
        builder.environment().put("XDG_RUNTIME_DIR", folder.toString());
        builder.environment().put("PGAS_TEST_VARIABLE", "inherited");
        return new Launched(builder.start());
    }

    private static Thread read(InputStream from, List<String> to) {
        return Thread.ofPlatform().daemon().start(() -> {
            try (BufferedReader lines = new BufferedReader(new InputStreamReader(from, StandardCharsets.UTF_8))) {
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    to.add(line);
                }
            } catch (IOException e) {
                to.add("reading failed: " + e);
            }
        });
    }

    /** Number of lines in which {@code regex} is found. */
    static long count(String regex, List<String> lines) {
        return lines.stream().filter(Pattern.compile(regex).asPredicate()).count();
    }

    /** The exit status. */
    int await() throws InterruptedException {
        if (!process.waitFor(180, TimeUnit.SECONDS)) {
            throw new IllegalStateException("the launcher did not end; out " + out + " err " + err);
        }
        for (Thread reader : readers) {
            reader.join(60_000);
            if (reader.isAlive()) {
                throw new IllegalStateException("the launcher ended with " + process.exitValue() + ", but somebody has its"
                        + " output open still; out " + out + " err " + err);
            }
        }
        return process.exitValue();
    }

    /** The JVMs of the job, in order, once all have said hello. */
    List<ProcessHandle> awaitJvms(int count) throws InterruptedException {
        for (long end = System.nanoTime() + 180_000_000_000L; System.nanoTime() - end < 0; Thread.sleep(10)) {
            ProcessHandle[] found = new ProcessHandle[count];
            int seen = 0;
            for (String line : out) {
                Matcher pid = PID.matcher(line);
                Optional<ProcessHandle> handle = pid.find() ? ProcessHandle.of(Long.parseLong(pid.group(1)))
                        : Optional.empty();
                if (handle.isPresent()) {
                    found[Integer.parseInt(pid.group(2))] = handle.get();
                    seen++;
                }
            }
            if (seen == count) {
                return List.of(found);
            }
        }
        throw new IllegalStateException("the JVMs did not start; out " + out + " err " + err);
    }

    /** As the JVMs were told. */
    Path jobDirectory() {
        Matcher line = PID.matcher(out.stream().filter(text -> PID.matcher(text).find()).findFirst().orElseThrow());
        return line.find() ? Path.of(line.group(3)) : null;
    }

    String lastError() {
        return err.isEmpty() ? "" : err.getLast();
    }

    @Override
    public void close() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }
}
