package org.pgas4j.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.pgas4j.UsageException;
import org.pgas4j.bench.figure.Results;
import org.pgas4j.bench.result.Environment;
import org.pgas4j.bench.result.Output;
import org.pgas4j.bench.result.Provenance;
import org.pgas4j.bench.result.Row;
import org.pgas4j.bench.study.ScalingProgram;
import org.pgas4j.launch.command.Version;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Runs {@link ScalingProgram} with many numbers of ranks and JVMs and keeps what comes out. */
@Command(name = "scaling", mixinStandardHelpOptions = true, versionProvider = Version.class, sortOptions = false, description = "Times of wire-up and"
        + " collectives and memory of the JVMs by number of ranks, which are threads of one or a few JVMs.")
final class ScalingCommand implements Callable<Integer> {

    @Option(names = "--ranks", split = ",", paramLabel = "N", defaultValue = "2,4,8,16,32,64,128,256,512,1024,2048,4096",
            description = "Numbers of ranks; default: ${DEFAULT-VALUE}.")
    private List<Integer> ranks;

    @Option(names = "--processes", split = ",", paramLabel = "N", defaultValue = "1,2,4",
            description = "Numbers of JVMs; default: ${DEFAULT-VALUE}.")
    private List<Integer> processes;

    @Option(names = "--rounds", paramLabel = "N", defaultValue = "20", description = "Of each collective; default: 20.")
    private int rounds;

    @Option(names = "--route", paramLabel = "NAME", defaultValue = "auto",
            description = "fastpath makes every pair of the ring talk by messages; default: auto.")
    private String route;

    @Option(names = "--device", paramLabel = "NAME", defaultValue = "host", description = "What to compute on; default: host.")
    private String device;

    @Option(names = "--out", paramLabel = "DIR", description = "Keeps JSON lines, CSV and plots there.")
    private Path out;

    @Option(names = "--launch-timeout", paramLabel = "DURATION", defaultValue = "5m",
            description = "Ends a launch that takes longer; default: 5m.")
    private String launchTimeout;

    @Mixin
    private CommonOptions common;

    @Override
    public Integer call() throws IOException, InterruptedException {
        LauncherProcess launcher = new LauncherProcess(common.launcherOptions);
        Output output = new Output(common.json ? Output.Format.JSON : Output.Format.TABLE, true, null, System.out);
        int status = 0;
        for (int jvms : processes) {
            for (int count : ranks) {
                if (count < jvms || jvms < 1) {
                    continue;
                }
                if (common.progress) {
                    System.err.println("bench: scaling, " + count + " ranks in " + jvms + (jvms == 1 ? " JVM" : " JVMs"));
                }
                int code = launcher.run(List.of("-n", Integer.toString(count), "--processes", Integer.toString(jvms), "--device",
                        device, "--timeout", launchTimeout, "--no-tag-output", "--route", route, "--set", "pgas.timeout=120s",
                        ScalingProgram.class.getName(), Integer.toString(rounds)),
                        row -> output.add(row.with(Provenance.COMMIT, common.commit)), System.err::println);
                if (code != 0) {
                    System.err.println("bench: scaling with " + count + " ranks in " + jvms + " JVMs ended with status " + code);
                    status = code;
                }
            }
        }
        if (output.rows().isEmpty()) {
            throw new UsageException("no launch: --ranks " + ranks + " --processes " + processes);
        }
        output.finish();
        if (out != null) {
            new Results(out).keep(Row.SCALING, output.rows(), Environment.withLoad("ended", common.commit), command());
        }
        return status;
    }

    private String command() {
        return "scripts/bench scaling --ranks " + join(ranks) + " --processes " + join(processes) + " --rounds " + rounds
                + (route.equals("auto") ? "" : " --route " + route) + " --out DIR";
    }

    private static String join(List<Integer> numbers) {
        return String.join(",", numbers.stream().map(String::valueOf).toList());
    }
}
