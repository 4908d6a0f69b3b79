package org.pgas4j.launch;

import java.io.IOException;
import java.lang.reflect.Method;
import java.util.concurrent.locks.LockSupport;
import org.pgas4j.Layout;
import org.pgas4j.Pgas;
import org.pgas4j.Rank;
import org.pgas4j.SharedLock;
import org.pgas4j.SharedLongs;
import org.pgas4j.UsageException;

/** Ways to end that {@link EndOfJobTest} looks at. */
public final class EndingProgram {

    private EndingProgram() {
    }

    /** @param args which way, and what it takes */
    public static void main(String[] args) {
        switch (args[0]) {
            case "compute" -> Pgas.run(args, rank -> {
                rank.barrier();
                if (rank.rank() == 1) {
                    mistake(rank);
                }
                while (true) {
                    Thread.onSpinWait(); // never looks at the job
                }
            });
            case "all" -> Pgas.run(args, rank -> {
                rank.barrier();
                mistake(rank);
            });
            case "wrapped" -> {
                try {
                    Pgas.run(args, EndingProgram::mistake);
                } catch (RuntimeException e) {
                    throw new IllegalArgumentException("the program's own words", e);
                }
            }
            case "abort" -> Pgas.run(args, rank -> {
                if (rank.rank() == 1) {
                    try {
                        throw new UsageException(args[1].replace('|', '\n'));
                    } catch (UsageException e) {
                        throw rank.abort(e);
                    }
                }
                rank.barrier();
            });
            case "killed-with-lock" -> Pgas.run(args, rank -> dieWithALock(rank, Integer.parseInt(args[1])));
            case "evil" -> Pgas.run(args, rank -> {
                if (rank.rank() == 1) {
                    throw new EvilException(args[1].equals("throw"));
                }
                rank.barrier();
            });
            case "steer" -> Pgas.run(args, rank -> {
                throw new IllegalStateException("\u001b]0;title\u0007" + "x".repeat(4 << 20));
            });
            case "exit" -> Pgas.run(args, rank -> {
                if (rank.rank() == 1) {
                    System.exit(Integer.parseInt(args[1]));
                }
                rank.barrier();
            });
            case "last" -> Pgas.run(args, rank -> {
                rank.barrier();
                park(Long.parseLong(args[1]));
            });
            case "until-loaded" -> Pgas.run(args, _ -> {
                Method find = ClassLoader.class.getDeclaredMethod("findLoadedClass", String.class);
                find.setAccessible(true);
                while (find.invoke(ClassLoader.getSystemClassLoader(), args[1]) == null) {
                    park(20);
                }
            });
            case "exit-later" -> Pgas.run(args, rank -> {
                rank.barrier();
                park(Long.parseLong(args[1]));
                System.exit(0);
            });
            case "exit-at-the-end" -> {
                Pgas.run(args, Rank::barrier);
                System.exit(Integer.parseInt(args[1]));
            }
            case "thread" -> {
                Pgas.run(args, Rank::barrier);
                Thread.ofPlatform().name("left-over").start(() -> park(Long.parseLong(args[1])));
            }
            case "late-run" -> Thread.ofPlatform().name("late").start(() -> {
                park(Long.parseLong(args[1]));
                Pgas.run(args, rank -> {
                    rank.barrier();
                    System.out.println("rank " + rank.rank() + " ran");
                });
            });
            case "hook" -> {
                Pgas.run(args, Rank::barrier);
                Runtime.getRuntime().addShutdownHook(new Thread(() -> park(Long.parseLong(args[1])), "slow-hook"));
            }
            case "rank-hook" -> Pgas.run(args, rank -> {
                rank.barrier();
                Runtime.getRuntime().addShutdownHook(new Thread(() -> park(Long.parseLong(args[1])), "daemon-hook"));
            });
            case "nested" -> Pgas.run(args, rank -> Pgas.run(args, Rank::barrier));
            default -> throw new IllegalArgumentException(args[0]);
        }
    }

    /** Takes a lock, which is in the memory of this rank, and dies once all others are at it. */
    private static void dieWithALock(Rank rank, int holder) throws IOException, InterruptedException {
        SharedLock lock = rank.locks().allAlloc();
        for (int home = 1; home <= holder; home++) { // each is in the memory of the next rank
            lock = rank.locks().allAlloc();
        }
        SharedLongs others = rank.allAllocLongs(Layout.onRank(holder), 1);
        others.forAllLocal(i -> others.put(i, 0));
        if (rank.rank() == holder) {
            lock.lock();
        }
        rank.barrier();
        if (rank.rank() != holder) {
            rank.atomics().fetchAdd(others.pointer(0), 1);
            lock.lock();
            throw new AssertionError("rank " + rank.rank() + " has the lock of rank " + holder);
        }
        while (rank.atomics().get(others.pointer(0)) < rank.ranks() - 1) {
            rank.progress();
        }
        new ProcessBuilder("kill", "-KILL", Long.toString(ProcessHandle.current().pid())).start().waitFor();
    }

    private static void mistake(Rank rank) {
        int[] array = new int[1];
        array[rank.ranks()] = 7;
    }

    private static void park(long ms) {
        for (long end = System.nanoTime() + ms * 1_000_000; System.nanoTime() - end < 0;) {
            LockSupport.parkNanos(end - System.nanoTime());
        }
    }

    private static final class EvilException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        private final boolean throwing;

        EvilException(boolean throwing) {
            this.throwing = throwing;
        }

        @Override
        public String getMessage() {
            if (throwing) {
                throw new UnsupportedOperationException("no message");
            }
            park(Long.MAX_VALUE / 2_000_000);
            return "late";
        }
    }
}
