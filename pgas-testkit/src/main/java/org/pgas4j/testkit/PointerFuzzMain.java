package org.pgas4j.testkit;

import org.pgas4j.Pgas;
import org.pgas4j.PgasConfig;

/** {@code PointerFuzzMain [operations [seed]]}: prints what was tried; fails if a pointer was wrongly taken or refused. */
public final class PointerFuzzMain {

    private PointerFuzzMain() {
    }

    public static void main(String[] args) {
        long operations = args.length > 0 ? Long.parseLong(args[0]) : 1_000_000;
        long seed = args.length > 1 ? Long.parseLong(args[1]) : System.nanoTime();
        Pgas.run(new PgasConfig().hostHeap(PointerFuzz.HEAP_BYTES).deviceHeap(PointerFuzz.HEAP_BYTES), rank -> {
            PointerFuzz fuzz = new PointerFuzz(rank, seed);
            fuzz.run(operations);
            if (rank.rank() == 0) {
                System.out.println(fuzz.report());
            }
        });
    }
}
