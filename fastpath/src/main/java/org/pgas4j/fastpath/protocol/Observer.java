package org.pgas4j.fastpath.protocol;

/** Receives the times of requests that a helper served. Times are {@link System#nanoTime()} values of this host. */
@FunctionalInterface
public interface Observer {

    /**
     * Called once for each request.
     *
     * @param sentNs   when it was sent, by the sender's clock
     * @param seenNs   when it was first seen
     * @param startNs  when its copy was started
     * @param copiedNs when its copy was seen complete
     * @param doneNs   when the answer or the credit was written
     */
    void served(long sentNs, long seenNs, long startNs, long copiedNs, long doneNs);
}
