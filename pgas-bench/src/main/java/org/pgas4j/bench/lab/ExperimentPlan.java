package org.pgas4j.bench.lab;

import com.grack.nanojson.JsonArray;
import com.grack.nanojson.JsonObject;
import com.grack.nanojson.JsonParser;
import com.grack.nanojson.JsonParserException;
import com.grack.nanojson.JsonWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.pgas4j.UsageException;

/**
 * A written experiment: JSON with {@code device}, {@code repeat}, {@code seconds} of a point, {@code samples} of a point at most,
 * {@code seed}, and {@code experiments}, each an object of axes with a value or a list of them. Its points are all combinations of
 * the values of each experiment, each once.
 *
 * @param device  what to compute on: auto, host or cuda
 * @param repeat  times that each point is measured, in launches of their own
 * @param seconds that a point may measure
 * @param samples that a point has at most
 * @param seed    of orders and arrivals
 */
public record ExperimentPlan(String device, int repeat, double seconds, int samples, long seed, List<LabPoint> points) {

    private static final Set<String> KEYS = Set.of("device", "repeat", "seconds", "samples", "seed", "experiments", "about");

    /**
     * Reads the text of a plan.
     *
     * @param chosen values of axes in place of the plan's
     * @throws UsageException if there is none, or it has what is not known
     */
    public static String read(Path file, Map<String, List<String>> chosen) {
        try {
            String text = Files.readString(file);
            for (Map.Entry<String, List<String>> axis : chosen.entrySet()) {
                text = with(text, axis.getKey(), axis.getValue());
            }
            parse(text);
            return text;
        } catch (NoSuchFileException e) {
            throw new UsageException("no plan " + file, e);
        } catch (IOException e) {
            throw new UsageException("cannot read plan " + file + ": " + e, e);
        } catch (IllegalArgumentException e) {
            throw new UsageException("plan " + file + ": " + e.getMessage(), e);
        }
    }

    /**
     * Plan of a text.
     *
     * @throws IllegalArgumentException if it is not a plan
     */
    public static ExperimentPlan parse(String text) {
        JsonObject plan = json(text);
        for (String key : plan.keySet()) {
            if (!KEYS.contains(key)) {
                throw new IllegalArgumentException("unknown '" + key + "' (expected: some of " + KEYS + ")");
            }
        }
        Set<LabPoint> points = new LinkedHashSet<>();
        JsonArray experiments = plan.getArray("experiments", new JsonArray());
        for (int i = 0; i < experiments.size(); i++) {
            combine(List.copyOf(axes(experiments, i).entrySet()), new LinkedHashMap<>(), points);
        }
        if (points.isEmpty()) {
            throw new IllegalArgumentException("no experiments");
        }
        ExperimentPlan read = new ExperimentPlan(plan.getString("device", "auto"), plan.getInt("repeat", 1), plan.getDouble("seconds", 1),
                plan.getInt("samples", 10_000), plan.getInt("seed", 1), List.copyOf(points));
        if (read.repeat < 1 || !(read.seconds > 0) || read.samples < 1 || !List.of("auto", "host", "cuda").contains(read.device)) {
            throw new IllegalArgumentException("device " + read.device + ", repeat " + read.repeat + ", seconds " + read.seconds
                    + ", samples " + read.samples + " (expected: auto, host or cuda, and numbers above 0)");
        }
        return read;
    }

    /**
     * Text of a plan with other values of one axis in all its experiments.
     *
     * @throws IllegalArgumentException if the text is no plan
     */
    public static String with(String text, String axis, List<String> values) {
        JsonObject plan = json(text);
        JsonArray experiments = plan.getArray("experiments", new JsonArray());
        for (int i = 0; i < experiments.size(); i++) {
            axes(experiments, i).put(axis, new JsonArray(values));
        }
        return JsonWriter.indent("  ").string().value(plan).done() + "\n";
    }

    private static JsonObject json(String text) {
        try {
            return JsonParser.object().from(text);
        } catch (JsonParserException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }

    private static JsonObject axes(JsonArray experiments, int index) {
        JsonObject axes = experiments.getObject(index);
        if (axes == null) {
            throw new IllegalArgumentException("experiment " + index + " is no object of axes");
        }
        return axes;
    }

    private static void combine(List<Map.Entry<String, Object>> axes, Map<String, String> chosen, Set<LabPoint> into) {
        if (chosen.size() == axes.size()) {
            into.add(LabPoint.of(chosen));
            return;
        }
        Map.Entry<String, Object> axis = axes.get(chosen.size());
        for (Object value : axis.getValue() instanceof JsonArray list ? new ArrayList<>(list) : List.of(axis.getValue())) {
            Map<String, String> more = new LinkedHashMap<>(chosen);
            more.put(axis.getKey(), value.toString());
            combine(axes, more, into);
        }
    }
}
