package org.pgas4j.fastpath.conduit;

import java.util.function.IntPredicate;

/**
 * Settings with which a conduit is opened.
 *
 * @param processes    number of JVMs of the job
 * @param ranks        number of ranks of the job
 * @param timeoutNs    deadline of one blocking operation
 * @param checkAborted throws if the job has failed; called while an operation waits
 * @param ucxTls       value of {@code pgas.ucx.tls}
 * @param ucxErrors    value of {@code pgas.ucx.errors}
 * @param nodes        number of nodes of the job
 * @param onThisNode   true for ranks on the node of this JVM
 */
public record ConduitOptions(int processes, int ranks, long timeoutNs, Runnable checkAborted, String ucxTls,
                             String ucxErrors, int nodes, IntPredicate onThisNode) {

    /** Settings of a job on one node. */
    public ConduitOptions(int processes, int ranks, long timeoutNs, Runnable checkAborted, String ucxTls,
                          String ucxErrors) {
        this(processes, ranks, timeoutNs, checkAborted, ucxTls, ucxErrors, 1, _ -> true);
    }
}
