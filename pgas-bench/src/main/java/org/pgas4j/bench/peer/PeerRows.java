package org.pgas4j.bench.peer;

import java.util.List;
import org.pgas4j.bench.result.Row;
import org.pgas4j.bench.result.SampleTimes;

/** Rows of the study of peers: one library's version of one operation each. */
public final class PeerRows {

    /** Name of the study. */
    public static final String STUDY = "peers";
    /** Library that did it. */
    public static final String PEER = "peer";
    /** Version of the operation: who takes part, or the algorithm. */
    public static final String FORM = "form";
    /** Type of elements. */
    public static final String TYPE = "type";
    /** Blocks of all GPUs that meet. */
    public static final String BLOCKS = "blocks";
    /** Rate of each GPU, 10^12 operations a second. */
    public static final String TFLOPS = "tflops";

    /** Name of this project among the libraries. */
    public static final String OURS = "pgas4j";
    public static final String NVSHMEM = "nvshmem";
    public static final String NCCL = "nccl";
    public static final String PYTORCH = "pytorch";
    public static final String CUBLAS = "cublas";
    /** Libraries that are not this project. */
    public static final List<String> PEERS = List.of(NVSHMEM, NCCL, PYTORCH, CUBLAS);

    /** Operations by name. */
    public static final String NOTIFY = "notify";
    public static final String PUT_NOTIFY = "put-notify";
    public static final String BARRIER = "barrier";
    /** Collective operations of vectors, each queued on streams. */
    public static final List<String> COLLECTIVES = List.of("allReduce", "reduceScatter", "allGather", "broadcast", "exchange");

    /** Products of bf16 matrices, one of which is distributed by rows. */
    public static final String GATHER_AND_PRODUCT = "gather and product";
    public static final String PRODUCT_ALONE = "product alone";
    public static final String PRODUCT_AND_SCATTER = "product and scatter";

    private PeerRows() {
    }

    /** Row of this project. */
    public static Row ours(String op, String form, String type, String reach, int processes, int ranks, long bytes,
            SampleTimes times, long wrong) {
        Row row = new Row(STUDY, op, "device", "device", reach, processes, bytes, times, null, wrong).with(PEER, OURS)
                .with(FORM, form);
        return (type.isEmpty() ? row : row.with(TYPE, type)).with(Row.RANKS, ranks);
    }

    /** Row of what a peer's program measured, with a process for each rank. */
    public static Row of(PeerLine.Measured line, int ranks) {
        Row row = new Row(STUDY, line.op(), "device", "device", "peer", ranks, line.bytes(), line.times(), null, line.wrong())
                .with(PEER, line.peer()).with(FORM, line.form());
        return (line.type().isEmpty() ? row : row.with(TYPE, line.type())).with(Row.RANKS, ranks)
                .with(BLOCKS, line.blocks() == 0 ? null : line.blocks())
                .with(TFLOPS, Double.isNaN(line.tflops()) ? null : line.tflops());
    }

    /** True if a row is of this project. */
    public static boolean isOurs(Row row) {
        return row.text(PEER).equals(OURS);
    }
}
