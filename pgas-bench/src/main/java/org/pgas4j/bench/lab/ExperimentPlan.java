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
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.pgas4j.UsageException;

/**
 * A written experiment: JSON with {@code device}, {@code repeat}, {@code seconds} of a point, {@code samples} of a point at most,
 * {@code seed}, and {@code experiments}, each an object of axes with a value or a list of them, and of {@code repeat} and
 * {@code seconds} of its own where it needs others. Its points are all combinations of the values of each experiment, each once; of
 * a point in several the most repeats and seconds count.
 *
 * @param device   what to compute on: auto, host or cuda
 * @param samples  that a point has at most
 * @param seed     of orders and arrivals
 * @param efforts  points, and how often and how long each is measured
 */
public record ExperimentPlan(String device, int samples, long seed, Map<LabPoint, Effort> efforts) {

    private static final String REPEAT = "repeat";
    private static final String SECONDS = "seconds";
    private static final Set<String> KEYS = Set.of("device", REPEAT, SECONDS, "samples", "seed", "experiments", "about");
    private static final Set<String> OF_EXPERIMENT = Set.of(REPEAT, SECONDS, "about");

    /**
     * How often and how long a point is measured.
     *
     * @param repeat  times, in launches of their own
     * @param seconds that it may measure each time
     */
    public record Effort(int repeat, double seconds) {

        private Effort most(Effort other) {
            return new Effort(Math.max(repeat, other.repeat), Math.max(seconds, other.seconds));
        }
    }

    /**
     * Reads the text of a plan.
     *
     * @param device in place of the plan's; null for that
     * @param chosen values of axes in place of the plan's
     * @throws UsageException if there is none, or it has what is not known
     */
    public static String read(Path file, String device, Map<String, List<String>> chosen) {
        try {
            String text = Files.readString(file);
            text = device == null ? text : on(text, device);
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
        Effort usual = new Effort(plan.getInt(REPEAT, 1), plan.getDouble(SECONDS, 1));
        Map<LabPoint, Effort> efforts = new LinkedHashMap<>();
        JsonArray experiments = plan.getArray("experiments", new JsonArray());
        for (int i = 0; i < experiments.size(); i++) {
            JsonObject experiment = axes(experiments, i);
            Effort effort = checked(new Effort(experiment.getInt(REPEAT, usual.repeat), experiment.getDouble(SECONDS, usual.seconds)));
            List<Map.Entry<String, Object>> axes = experiment.entrySet().stream()
                    .filter(axis -> !OF_EXPERIMENT.contains(axis.getKey())).toList();
            Set<LabPoint> points = new LinkedHashSet<>();
            combine(axes, new LinkedHashMap<>(), points);
            points.forEach(point -> efforts.merge(point, effort, Effort::most));
        }
        if (efforts.isEmpty()) {
            throw new IllegalArgumentException("no experiments");
        }
        ExperimentPlan read = new ExperimentPlan(plan.getString("device", "auto"), plan.getInt("samples", 10_000),
                plan.getInt("seed", 1), Collections.unmodifiableMap(efforts));
        if (read.samples < 1 || !List.of("auto", "host", "cuda").contains(read.device)) {
            throw new IllegalArgumentException("device " + read.device + ", samples " + read.samples
                    + " (expected: auto, host or cuda, and a number above 0)");
        }
        return read;
    }

    private static Effort checked(Effort effort) {
        if (effort.repeat < 1 || !(effort.seconds > 0)) {
            throw new IllegalArgumentException(REPEAT + " " + effort.repeat + ", " + SECONDS + " " + effort.seconds
                    + " (expected: numbers above 0)");
        }
        return effort;
    }

    /** All points, in the order of the experiments. */
    public List<LabPoint> points() {
        return List.copyOf(efforts.keySet());
    }

    /** Highest number of repeats of a point. */
    public int repeat() {
        return efforts.values().stream().mapToInt(Effort::repeat).max().orElseThrow();
    }

    /** Points and repeats together. */
    public int measurements() {
        return efforts.values().stream().mapToInt(Effort::repeat).sum();
    }

    /** Seconds that a point may measure. */
    public double seconds(LabPoint point) {
        return efforts.get(point).seconds;
    }

    /** Estimate of the seconds that a point takes, once. */
    public double estimate(LabPoint point) {
        return LabTime.seconds(point, efforts.get(point), samples);
    }

    /** Estimate of the seconds before the first of some points that share a launch. */
    public double launchEstimate(List<LabPoint> points) {
        return LabTime.launch(points.stream().map(this::seconds).toList());
    }

    /** Points of a repeat, counted from 0. */
    public List<LabPoint> points(int repeat) {
        return efforts.entrySet().stream().filter(entry -> entry.getValue().repeat > repeat).map(Map.Entry::getKey).toList();
    }

    /** Estimate of the seconds that all of it takes. */
    public double estimate() {
        double seconds = 0;
        for (int i = 0; i < repeat(); i++) {
            List<LabPoint> points = points(i);
            seconds += points.stream().mapToDouble(this::estimate).sum()
                    + points.stream().collect(Collectors.groupingBy(LabPoint::launch)).values().stream()
                            .mapToDouble(this::launchEstimate).sum();
        }
        return seconds;
    }

    /**
     * Text of a plan that computes on another device.
     *
     * @throws IllegalArgumentException if the text is no plan
     */
    public static String on(String text, String device) {
        JsonObject plan = json(text);
        plan.put("device", device);
        return JsonWriter.indent("  ").string().value(plan).done() + "\n";
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
