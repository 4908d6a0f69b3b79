package org.pgas4j;

/** Extras of a rank for {@link PgasUnsafe}. */
public interface Lendable {

    /** From now on {@code borrower} makes the transfers, and the rank's own thread none; called by the borrower, after the rank's. */
    void lend(Thread borrower);

    /** As {@link Rank#createGrid}; notification counters start at {@code firstCount}. */
    DeviceGrid createGrid(DeviceGrid.Options options, long firstCount);
}
