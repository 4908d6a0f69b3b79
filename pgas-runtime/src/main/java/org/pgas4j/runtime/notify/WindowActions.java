package org.pgas4j.runtime.notify;

import org.pgas4j.space.heap.SharedHeap;
import org.pgas4j.space.transfer.PieceTransfers;
import org.pgas4j.space.transfer.Transfers;

/** Parts of a rank that its windows use. */
record WindowActions(int rank, int ranks, SharedHeap heap, Transfers transfers, PieceTransfers pieces, Notifier notifier,
                     PreparedTable prepared) {
}
