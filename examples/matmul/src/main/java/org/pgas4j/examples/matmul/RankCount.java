package org.pgas4j.examples.matmul;

import org.pgas4j.PgasConfig;
import org.pgas4j.PgasKey;
import org.pgas4j.UsageException;

/**
 * What is known of the number of ranks before the job starts: the heaps must be large enough for the fewest, and the
 * machine for the most. The two differ only if neither an option nor a setting gives the number; then a launcher may.
 */
record RankCount(int fewest, int most) {

    private static final int DEFAULT = 4;

    /** As the settings say, else the option, else up to the default. */
    static RankCount of(MatmulOptions options) {
        PgasConfig given = new PgasConfig().conclude();
        if (!given.isSet(PgasKey.RANKS) || given.isAuto(PgasKey.RANKS)) {
            return options.ranks() == null ? new RankCount(1, DEFAULT)
                    : new RankCount(options.ranks(), options.ranks());
        }
        int ranks = given.count(PgasKey.RANKS);
        if (options.ranks() != null && options.ranks() != ranks) {
            throw new UsageException("--ranks " + options.ranks() + ", but the job has " + ranks + " ranks ("
                    + PgasKey.RANKS.property() + " from " + given.source(PgasKey.RANKS) + "); give one of them");
        }
        return new RankCount(ranks, ranks);
    }

    /** What a job without a launcher takes for {@code columns} columns. */
    int chosen(int columns) {
        return fewest == most ? most : Math.min(most, columns);
    }
}
