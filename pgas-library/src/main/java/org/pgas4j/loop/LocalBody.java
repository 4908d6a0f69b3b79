package org.pgas4j.loop;

/** Body of a loop over local elements of {@link ForAll#local} and {@link ForAll#parallel}. */
@FunctionalInterface
public interface LocalBody {

    /**
     * Does the elements of one range. In a parallel loop several threads run it at once, on ranges that have nothing in common.
     */
    void run(LocalRange range) throws Exception;
}
