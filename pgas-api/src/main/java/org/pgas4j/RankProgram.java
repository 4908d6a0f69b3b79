package org.pgas4j;

/** The program every rank runs. */
@FunctionalInterface
public interface RankProgram {

    /**
     * Runs as one rank, on a thread of its own.
     *
     * @param rank this rank; valid until the method returns
     * @throws Exception anything: it ends the whole job and becomes its first cause
     */
    void run(Rank rank) throws Exception;
}
