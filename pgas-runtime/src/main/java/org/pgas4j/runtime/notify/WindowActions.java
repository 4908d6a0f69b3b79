package org.pgas4j.runtime.notify;

import org.pgas4j.runtime.memory.Peers;
import org.pgas4j.runtime.transfer.Transfers;

/** What windows of a rank act through. */
record WindowActions(int rank, Peers peers, Transfers transfers, Notifier notifier, PreparedTable prepared) {
}
