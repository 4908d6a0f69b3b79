package org.pgas4j;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.NavigableMap;
import java.util.ServiceLoader;
import java.util.TreeMap;

/**
 * Starts a program on all ranks. From a plain {@code main} the ranks are threads of this JVM; started by
 * {@code pgasrun}, this JVM runs its share of the job's ranks.
 */
public final class Pgas {

    private Pgas() {
    }

    /**
     * Runs {@code program} on every rank and returns when all of this JVM's ranks have. Arguments of the form
     * {@code --pgas.KEY=VALUE} set the property {@code pgas.KEY}; the others reach the program by
     * {@link Rank#args()}.
     *
     * @throws PgasException         the first failure of the job, on whichever rank it was
     * @throws IllegalStateException if a run of a job of several JVMs, or of {@code pgasrun}, is under way in this JVM
     */
    public static void run(String[] args, RankProgram program) {
        PgasConfig config = new PgasConfig();
        List<String> rest = config.takeArguments(args);
        run(config, rest, program);
    }

    /** As {@link #run(String[], RankProgram)}, with settings made in the program; properties override them. */
    public static void run(PgasConfig config, RankProgram program) {
        run(config, List.of(), program);
    }

    /** As {@link #run(PgasConfig, RankProgram)}; {@code args} reach the program by {@link Rank#args()}. */
    public static void run(PgasConfig config, List<String> args, RankProgram program) {
        PgasProvider provider = ServiceLoader.load(PgasProvider.class).findFirst().orElseThrow(() ->
                new PgasException("no PGAS runtime on the class path: add org.pgas4j:pgas-runtime"));
        provider.run(config, args, program);
    }

    /** As {@link #call(PgasConfig, List, RankFunction)}, without arguments. */
    public static <T> List<T> call(PgasConfig config, RankFunction<T> program) {
        return call(config, List.of(), program);
    }

    /**
     * As {@link #run(PgasConfig, List, RankProgram)}, for a program that gives a value.
     *
     * @return the values of this JVM's ranks, by ascending rank: all of them, if the ranks are threads of this JVM
     */
    public static <T> List<T> call(PgasConfig config, List<String> args, RankFunction<T> program) {
        NavigableMap<Integer, T> values = Collections.synchronizedNavigableMap(new TreeMap<>());
        run(config, args, rank -> {
            T value = program.apply(rank);
            values.put(rank.rank(), value);
        });
        return Collections.unmodifiableList(new ArrayList<>(values.values()));
    }
}
