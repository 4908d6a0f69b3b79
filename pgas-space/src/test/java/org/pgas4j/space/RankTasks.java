package org.pgas4j.space;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntFunction;

/** Runs a task of each rank on a thread of its own. */
public final class RankTasks {

    private RankTasks() {
    }

    /** Results of the ranks in their order; the first failure is thrown. */
    public static <T> List<T> run(int ranks, IntFunction<Callable<T>> tasks) throws Exception {
        try (ExecutorService threads = Executors.newFixedThreadPool(ranks)) {
            List<Future<T>> running = new ArrayList<>();
            for (int rank = 0; rank < ranks; rank++) {
                running.add(threads.submit(tasks.apply(rank)));
            }
            List<T> results = new ArrayList<>();
            for (Future<T> each : running) {
                try {
                    results.add(each.get());
                } catch (ExecutionException e) {
                    threads.shutdownNow();
                    throw new AssertionError("rank " + results.size(), e.getCause());
                }
            }
            return results;
        }
    }
}
