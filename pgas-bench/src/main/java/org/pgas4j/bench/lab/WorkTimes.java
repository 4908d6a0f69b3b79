package org.pgas4j.bench.lab;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Mean and standard deviation of the time of a unit of an owner's work, one value for each of its turns. Their difference with and
 * without requests is small, so both are kept (B. P. Welford, Note on a method for calculating corrected sums, 1962).
 */
public final class WorkTimes {

    private static final double NS_PER_US = 1e3;

    private final String name;
    private long turns;
    private double meanNs;
    private double squares;

    /** Times under a name, to which nothing is added yet. */
    public WorkTimes(String name) {
        this.name = name;
    }

    /** Adds a turn of some units of work. */
    public void add(double turnNs, long works) {
        double ns = turnNs / works;
        turns++;
        double distance = ns - meanNs;
        meanNs += distance / turns;
        squares += distance * (ns - meanNs);
    }

    static String mean(String name) {
        return name + "_us";
    }

    static String deviation(String name) {
        return name + "_sd_us";
    }

    static String turns(String name) {
        return name + "_turns";
    }

    /** Names of the columns of times under a name: mean, standard deviation and number of turns. */
    public static List<String> keys(String name) {
        return List.of(mean(name), deviation(name), turns(name));
    }

    /** Columns of a row; NaN without turns. */
    public Map<String, Double> columns() {
        Map<String, Double> columns = new LinkedHashMap<>();
        columns.put(mean(name), turns == 0 ? Double.NaN : meanNs / NS_PER_US);
        columns.put(deviation(name), turns < 2 ? Double.NaN : Math.sqrt(squares / (turns - 1)) / NS_PER_US);
        columns.put(turns(name), (double) turns);
        return columns;
    }
}
