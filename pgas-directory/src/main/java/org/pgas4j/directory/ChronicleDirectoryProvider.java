package org.pgas4j.directory;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.pgas4j.bootstrap.node.NodeDirectory;
import org.pgas4j.bootstrap.node.NodeDirectoryProvider;

/** Node directories in Chronicle Maps. */
public final class ChronicleDirectoryProvider implements NodeDirectoryProvider {

    private static final List<String> JVM_FLAGS = List.of(
            "--sun-misc-unsafe-memory-access=allow",
            "--add-opens=java.base/java.lang=ALL-UNNAMED",
            "--add-opens=java.base/java.lang.reflect=ALL-UNNAMED",
            "--add-exports=java.base/sun.nio.ch=ALL-UNNAMED",
            "--add-exports=java.base/jdk.internal.ref=ALL-UNNAMED",
            "--add-exports=jdk.compiler/com.sun.tools.javac.file=ALL-UNNAMED",
            "-Dchronicle.analytics.disable=true");

    /** For the service loader. */
    public ChronicleDirectoryProvider() {
    }

    @Override
    public NodeDirectory open(Path file, boolean creator, int ranks) {
        return ChronicleNodeDirectory.open(file, creator, ranks);
    }

    @Override
    public void rehearse(Path folder) throws IOException {
        ChronicleNodeDirectory.rehearse(folder);
    }

    @Override
    public List<String> jvmFlags() {
        return JVM_FLAGS;
    }
}
