package org.pgas4j.fastpath.protocol;

/** Hears of requests served by a helper. Times are {@link System#nanoTime()} values of this host. */
@FunctionalInterface
public interface Observer {

    /**
     * One request.
     *
     * @param sentNs   when it was sent, by the sender's clock
     * @param seenNs   when it was first seen
     * @param startNs  when its copy was started
     * @param copiedNs when its copy was seen complete
     * @param doneNs   when the answer or the credit was written
     */
    void served(long sentNs, long seenNs, long startNs, long copiedNs, long doneNs);
}
