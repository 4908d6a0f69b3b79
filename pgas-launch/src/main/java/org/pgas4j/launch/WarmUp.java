package org.pgas4j.launch;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.pgas4j.Pgas;
import org.pgas4j.bootstrap.node.NodeDirectoryProvider;
import org.pgas4j.launch.files.PrivateDirectory;

/** A minimal job. Its classes are recorded in an archive, with which Java starts the next jobs faster. */
public final class WarmUp {

    /** Argument that adds the operations of jobs of several JVMs, and kernels. */
    private static final String ALL = "all";

    private WarmUp() {
    }

    /** @param args of the job; {@value #ALL} for more operations */
    public static void main(String[] args) throws IOException {
        boolean isAll = args.length > 0 && args[0].equals(ALL);
        Pgas.run(args, rank -> {
            rank.barrier();
            if (isAll) {
                KernelRehearsal.run(rank);
            }
            System.out.println("rank " + rank.rank() + " of " + rank.ranks());
        });
        Optional<NodeDirectoryProvider> directories = NodeDirectoryProvider.find();
        if (isAll && directories.isPresent()) {
            Path folder = Files.createTempDirectory("pgas4j-warm-up-");
            try {
                directories.get().rehearse(folder);
            } finally {
                PrivateDirectory.delete(folder);
            }
        }
    }
}
