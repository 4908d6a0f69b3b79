package org.pgas4j.testkit.campaign;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.pgas4j.PgasException;

/** Leaks that a soak plants in each round on request, to prove that it notices them. */
enum SoakLeak {

    NONE {
        @Override
        void plant(List<Object> kept) {
            // A soak as it is.
        }
    },
    /** 4 MiB, touched. */
    MEMORY {
        @Override
        void plant(List<Object> kept) {
            kept.add(Arena.global().allocate(MEMORY_BYTES).fill((byte) 1));
        }
    },
    FILES {
        @Override
        void plant(List<Object> kept) throws IOException {
            kept.add(FileChannel.open(FILE));
        }
    },
    MAPS {
        @Override
        void plant(List<Object> kept) throws IOException {
            try (FileChannel file = FileChannel.open(FILE)) {
                kept.add(file.map(FileChannel.MapMode.READ_ONLY, 0, 1, Arena.global()));
            }
        }
    },
    THREADS {
        @Override
        void plant(List<Object> kept) {
            kept.add(Thread.ofPlatform().daemon().start(() -> {
                while (true) {
                    LockSupport.park();
                }
            }));
        }
    };

    private static final long MEMORY_BYTES = 4 << 20;
    private static final Path FILE = Path.of("/proc/self/exe");

    /** Nothing that is here is closed or collected. */
    private static final List<Object> KEPT = new ArrayList<>();

    abstract void plant(List<Object> kept) throws IOException;

    /** Leaves one more behind. One thread at a time. */
    void plant() {
        try {
            plant(KEPT);
        } catch (IOException e) {
            throw new PgasException("soak: cannot plant " + this + " with " + FILE + ": " + e.getMessage(), e);
        }
    }
}
