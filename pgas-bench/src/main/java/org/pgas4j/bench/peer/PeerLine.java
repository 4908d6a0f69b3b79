package org.pgas4j.bench.peer;

import java.util.List;
import java.util.Map;
import org.pgas4j.bench.result.FlatJson;
import org.pgas4j.bench.result.SampleTimes;

/** One line that a peer's program prints: a JSON object. */
public sealed interface PeerLine {

    /** Name of the library: nvshmem, nccl, pytorch or cublas. */
    String peer();

    /**
     * A measurement.
     *
     * @param op     operation, by the name that this project's own rows have
     * @param form   version of it: who takes part, or the algorithm
     * @param type   of elements; empty where there are none
     * @param bytes  of a rank's longer vector, or of a put
     * @param blocks of all GPUs, of a barrier; else 0
     * @param times  of the operation
     * @param tflops of each GPU, of a product; else NaN
     * @param wrong  elements that arrived wrong at any rank
     */
    record Measured(String peer, String op, String form, String type, long bytes, long blocks, SampleTimes times, double tflops,
            long wrong) implements PeerLine {
    }

    /** Something that cannot be measured here, in words. */
    record Missing(String peer, String why) implements PeerLine {
    }

    /** Version of the library, and the GPU it runs on. */
    record Version(String peer, String version, String device) implements PeerLine {
    }

    /** Keys of a measurement without which there is none. */
    List<String> REQUIRED = List.of("op", "form", "bytes", "p50_us", "mean_us", "samples", "batch", "wrong");

    /**
     * Reads a line.
     *
     * @throws IllegalArgumentException if it is none of these
     */
    static PeerLine parse(String json) {
        Map<String, Object> fields = FlatJson.parse(json);
        String peer = text(fields, "peer");
        if (peer.isEmpty()) {
            throw new IllegalArgumentException("no \"peer\" in " + json);
        }
        if (fields.containsKey("missing")) {
            return new Missing(peer, text(fields, "missing"));
        }
        if (fields.containsKey("version")) {
            return new Version(peer, text(fields, "version"), text(fields, "device"));
        }
        for (String key : REQUIRED) {
            if (fields.get(key) == null) {
                throw new IllegalArgumentException("no \"" + key + "\" in " + json);
            }
        }
        SampleTimes times = new SampleTimes(number(fields, "p50_us"), Double.NaN, Double.NaN, Double.NaN,
                number(fields, "mean_us"), (long) number(fields, "samples"), (long) number(fields, "batch"));
        return new Measured(peer, text(fields, "op"), text(fields, "form"), text(fields, "type"), (long) number(fields, "bytes"),
                fields.containsKey("blocks") ? (long) number(fields, "blocks") : 0, times, number(fields, "tflops"),
                (long) number(fields, "wrong"));
    }

    private static String text(Map<String, Object> fields, String key) {
        Object value = fields.get(key);
        return value == null ? "" : value.toString();
    }

    private static double number(Map<String, Object> fields, String key) {
        return fields.get(key) instanceof Number number ? number.doubleValue() : Double.NaN;
    }
}
