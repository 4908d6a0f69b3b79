package org.pgas4j.launch;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Network namespaces that play hosts: those that are there, or new ones, removed with this JVM. */
public record Namespaces(String prefix) {

    private static final String REQUIRED = "test.require.netns";
    private static final String PREFIX = "test.netns.prefix";
    private static final int MOST = 4;

    /**
     * Skips the test, naming what is missing, unless {@code -Dtest.require.netns=true} says that it may not.
     *
     * @param wanted at most {@value #MOST}: whoever comes first makes as many, for those who come later
     */
    public static synchronized Namespaces shared(int wanted) throws Exception {
        int count = Math.max(wanted, MOST);
        String given = System.getProperty(PREFIX, "pgas");
        Namespaces all = new Namespaces(given);
        if (IntStream.range(0, count).allMatch(i -> Files.exists(Path.of("/run/netns", all.name(i))))) {
            return all;
        }
        Path script = script();
        String said = run(script.toString(), "up", Integer.toString(count));
        boolean made = IntStream.range(0, count).allMatch(i -> Files.exists(Path.of("/run/netns", all.name(i))));
        if (!made && Boolean.getBoolean(REQUIRED)) {
            throw new IllegalStateException("-D" + REQUIRED + "=true, but scripts/netns up " + count + " says: " + said);
        }
        assumeTrue(made, "needs root and the ip command: scripts/netns up " + count + " says: " + said);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            try {
                run(script.toString(), "down");
            } catch (Exception e) {
                System.err.println("scripts/netns down: " + e);
            }
        }));
        return all;
    }

    private static Path script() {
        for (Path folder = Path.of("").toAbsolutePath(); folder != null; folder = folder.getParent()) {
            if (Files.isExecutable(folder.resolve("scripts/netns"))) {
                return folder.resolve("scripts/netns");
            }
        }
        throw new IllegalStateException("no scripts/netns above " + Path.of("").toAbsolutePath());
    }

    private static String run(String... command) throws Exception {
        Process process = new ProcessBuilder(List.of(command)).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (!process.waitFor(30, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            return "no end within 30 s";
        }
        return said.strip();
    }

    /** Of namespace {@code number}, and of its end of the link on the bridge. */
    public String name(int number) {
        return prefix + number;
    }

    /** Loses all packets of a namespace, without a word to anybody, or lets them through again. */
    public void link(int number, boolean up) throws Exception {
        String said = run("ip", "link", "set", name(number), up ? "up" : "down");
        if (!said.isEmpty()) {
            throw new IllegalStateException("ip link set " + name(number) + ": " + said);
        }
    }

    /** For {@code -H}. */
    String names(int count) {
        return IntStream.range(0, count).mapToObj(this::name).collect(Collectors.joining(","));
    }
}
