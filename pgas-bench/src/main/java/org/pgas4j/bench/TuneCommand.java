package org.pgas4j.bench;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import org.pgas4j.UsageException;
import org.pgas4j.bench.study.TuneStudy;
import org.pgas4j.launch.command.Version;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Measures the sizes at which collective operations on streams change their form and keeps them as a profile. */
@Command(name = "tune", mixinStandardHelpOptions = true, versionProvider = Version.class, sortOptions = false,
        description = "Times each form of the collective operations on streams by size, within a minute, and keeps the sizes at"
                + " which another form is faster as a profile, which jobs on devices of this name with as many members read.")
final class TuneCommand implements Callable<Integer> {

    private static final int USAGE = 2;

    @Option(names = {"-n", "--ranks"}, paramLabel = "N", defaultValue = "2",
            description = "Number of ranks, a device for each; default: ${DEFAULT-VALUE}.")
    private int ranks;

    @Option(names = "--processes", paramLabel = "N", description = "JVMs of the ranks; default: one for each, which GPUs need.")
    private Integer processes;

    @Option(names = "--device", paramLabel = "NAME", defaultValue = "auto", description = "auto (default), host or cuda.")
    private String device;

    @Option(names = "--max-bytes", paramLabel = "BYTES", converter = SizeConverter.class, defaultValue = "64m",
            description = "Longest vector of a rank, a power of two from 1k on; default: ${DEFAULT-VALUE}.")
    private long maxBytes;

    @Option(names = "--profiles", paramLabel = "DIR", defaultValue = "auto",
            description = "Directory of profiles (pgas.collective.profiles); default: ${DEFAULT-VALUE}, in the user's cache.")
    private String profiles;

    @Option(names = "--launch-timeout", paramLabel = "DURATION", defaultValue = "2m",
            description = "Ends a launch that takes longer; default: ${DEFAULT-VALUE}.")
    private String launchTimeout;

    @Mixin
    private CommonOptions common;

    @Override
    public Integer call() throws IOException, InterruptedException {
        int jvms = processes == null ? ranks : processes;
        if (ranks < 2 || jvms < 1 || jvms > ranks || maxBytes < 1024 || Long.bitCount(maxBytes) != 1) {
            throw new UsageException("--ranks " + ranks + " --processes " + jvms + " --max-bytes " + maxBytes
                    + " (expected: 2 ranks or more, 1 to so many JVMs, a power of two from 1024 on)");
        }
        int code = new LauncherProcess(common.launcherOptions).run(List.of("-n", Integer.toString(ranks), "--processes",
                Integer.toString(jvms), "--device", device, "--timeout", launchTimeout, "--no-tag-output",
                TuneProgram.class.getName(), "--ranks", Integer.toString(ranks), "--max-bytes", Long.toString(maxBytes),
                "--profiles", profiles), _ -> { }, System.out::println);
        return code == 0 ? 0 : Math.max(code, USAGE);
    }
}
