package org.pgas4j.runtime.notify;

import org.pgas4j.runtime.heap.SharedHeap;
import org.pgas4j.runtime.memory.Peers;
import org.pgas4j.runtime.transfer.Transfers;

/** What windows of a rank act through. */
record WindowActions(int rank, int ranks, Peers peers, SharedHeap heap, Transfers transfers, Notifier notifier,
                     PreparedTable prepared) {
}
