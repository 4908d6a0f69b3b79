package org.pgas4j;

/** A program that every rank runs and that gives a value. */
@FunctionalInterface
public interface RankFunction<T> {

    /**
     * Runs as {@link RankProgram#run} does.
     *
     * @return may be null; nothing of the rank, which ends
     */
    T apply(Rank rank) throws Exception;
}
