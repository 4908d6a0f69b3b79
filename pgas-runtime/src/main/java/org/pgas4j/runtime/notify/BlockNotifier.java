package org.pgas4j.runtime.notify;

/** Notifies blocks of devices for services, which never wait. Any thread. */
@FunctionalInterface
public interface BlockNotifier {

    /**
     * Adds one to a counter of a block. What it belongs to has arrived at the block's rank.
     *
     * @param target rank of the block
     * @param block  its name in messages
     * @return false if that cannot be done yet; nothing is sent then
     */
    boolean trySignal(int target, int block, int tag);
}
