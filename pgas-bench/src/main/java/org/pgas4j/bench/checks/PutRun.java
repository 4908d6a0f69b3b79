package org.pgas4j.bench.checks;

import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;
import org.pgas4j.PgasException;

/** Runs {@link PutBenchmark}. Apart from the command, which is there also where JMH is not. */
public final class PutRun {

    private PutRun() {
    }

    /**
     * Runs benchmarks in JVMs of their own.
     *
     * @param names methods of {@link PutBenchmark}
     * @param quick one JVM for each, short times
     * @param loud  prints the output of JMH
     * @return by name the means of the iterations in nanoseconds, sorted
     */
    public static Map<String, double[]> run(Collection<String> names, boolean quick, boolean loud) {
        String prefix = PutBenchmark.class.getName().replace(".", "\\.") + "\\.(";
        OptionsBuilder options = new OptionsBuilder();
        options.include(prefix + String.join("|", names) + ")$");
        options.forks(quick ? 1 : 5).warmupIterations(quick ? 3 : 5).measurementIterations(quick ? 5 : 10)
                .warmupTime(TimeValue.milliseconds(quick ? 500 : 1000))
                .measurementTime(TimeValue.milliseconds(quick ? 300 : 1000)).timeUnit(TimeUnit.NANOSECONDS)
                .shouldFailOnError(true).verbosity(loud ? VerboseMode.NORMAL : VerboseMode.SILENT);
        Map<String, double[]> found = new LinkedHashMap<>();
        try {
            for (RunResult result : new Runner(options.build()).run()) {
                String name = result.getParams().getBenchmark();
                double[] means = result.getBenchmarkResults().stream().flatMap(fork -> fork.getIterationResults().stream())
                        .mapToDouble(iteration -> iteration.getPrimaryResult().getScore()).toArray();
                Arrays.sort(means);
                found.put(name.substring(name.lastIndexOf('.') + 1), means);
            }
        } catch (RunnerException e) {
            throw new PgasException("benchmarks " + names + ": " + e.getMessage(), e);
        }
        return found;
    }
}
