package org.pgas4j.fastpath.conduit;

/**
 * What a conduit is opened with.
 *
 * @param processes    JVMs of the job
 * @param ranks        of the job
 * @param timeoutNs    deadline of one blocking operation
 * @param checkAborted throws if the job has failed; called while an operation waits
 * @param ucxTls       value of {@code pgas.ucx.tls}
 * @param ucxErrors    value of {@code pgas.ucx.errors}
 */
public record ConduitOptions(int processes, int ranks, long timeoutNs, Runnable checkAborted, String ucxTls,
                             String ucxErrors) {
}
