package org.pgas4j.bench;

import java.util.List;
import picocli.CommandLine.Option;

/** Options of all commands that measure. */
final class CommonOptions {

    @Option(names = "--json", description = "Prints JSON lines instead of tables.")
    boolean json;

    @Option(names = "--commit", paramLabel = "ID", hidden = true, description = "version of the program")
    String commit;

    @Option(names = "--launcher-opt", hidden = true, description = "option of the launcher's JVM")
    List<String> launcherOptions = List.of();

    @Option(names = "--progress", hidden = true, description = "report what runs")
    boolean progress;
}
