package org.pgas4j.launch;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.pgas4j.UsageException;
import org.pgas4j.bootstrap.Bootstrap;
import org.pgas4j.bootstrap.watch.RankTag;

/** Program that {@link PgasRunTest} launches. */
public final class LaunchProgram {

    /** Time that it waits for nothing. */
    static final long WAIT_NS = 180_000_000_000L;

    private LaunchProgram() {
    }

    /** @param args what to do */
    public static void main(String[] args) throws Exception {
        if (args[0].equals("idle")) {
            System.out.println("idle " + String.join(",", args) + " " + System.getProperty("pgas.device") + " "
                    + System.getenv("PGAS_TEST_VARIABLE"));
            return;
        }
        LaunchedJob job = LaunchedJob.current().orElseThrow();
        Bootstrap bootstrap = job.bootstrap();
        bootstrap.allGather("started", new byte[0], deadline());
        System.out.println("pid " + ProcessHandle.current().pid() + " process " + bootstrap.process() + " directory "
                + job.directory().map(Path::toString).orElse("none"));
        boolean victim = bootstrap.process() == bootstrap.processes() - 1;
        switch (args[0]) {
            case "done" -> System.out.println("ranks " + bootstrap.ranks());
            case "print" -> print(bootstrap);
            case "chatter" -> {
                while (true) {
                    System.out.println("on and on");
                }
            }
            case "throw" -> {
                if (victim) {
                    throw new IllegalStateException("user's mistake");
                }
                bootstrap.allGather("never", new byte[0], deadline());
            }
            case "usage" -> throw new UsageException("no such file: input.mtx");
            case "exit" -> {
                if (victim) {
                    System.exit(Integer.parseInt(args[1]));
                }
                bootstrap.allGather("never", new byte[0], deadline());
            }
            case "exit-after-run" -> {
                job.runEnded();
                System.exit(0);
            }
            case "memory" -> fill();
            case "wait" -> bootstrap.allGather("never" + bootstrap.process(), new byte[0], deadline());
            case "spin" -> {
                while (true) {
                    Thread.onSpinWait(); // does not notice the end of the job
                }
            }
            default -> throw new IllegalArgumentException(args[0]);
        }
    }

    private static long deadline() {
        return System.nanoTime() + WAIT_NS;
    }

    private static void print(Bootstrap bootstrap) throws InterruptedException {
        List<Thread> ranks = new ArrayList<>();
        for (int rank = bootstrap.firstRank(bootstrap.process()); rank < bootstrap.firstRank(bootstrap.process() + 1);
                rank++) {
            int number = rank;
            ranks.add(Thread.ofPlatform().start(() -> {
                RankTag.set(number);
                for (int i = 0; i < 1_000; i++) {
                    System.out.print("line " + i);
                    System.out.println(" of rank " + number + " end");
                }
                System.err.print("unfinished of rank " + number);
            }));
        }
        for (Thread rank : ranks) {
            rank.join();
        }
    }

    private static void fill() {
        List<long[]> kept = new ArrayList<>();
        while (kept.size() >= 0) {
            kept.add(new long[1 << 20]);
        }
    }
}
