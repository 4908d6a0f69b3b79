package org.pgas4j;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Settings of a job. A program sets what it needs; {@link #conclude()} lets system properties and the environment
 * override that, checks everything and freezes it. The order, strongest first: {@code --pgas.key=value} arguments,
 * {@code -Dpgas.key=value} properties (a launcher's options arrive as these), {@code PGAS_KEY} environment variables, the
 * program, defaults. An unknown {@code pgas.*} key or a bad value is a {@link UsageException}.
 */
public final class PgasConfig {

    private record Setting(String text, String source) {
    }

    private final Map<PgasKey, Setting> settings = new EnumMap<>(PgasKey.class);
    private final Map<PgasKey, Setting> arguments = new EnumMap<>(PgasKey.class);
    private boolean concluded;

    /** All defaults. */
    public PgasConfig() {
    }

    /** Sets one setting from the program. */
    public PgasConfig set(PgasKey key, String value) {
        requireOpen();
        check(key, value, "program");
        settings.put(key, new Setting(value, "program"));
        return this;
    }

    /** Ranks as threads of this JVM; a launcher's number overrides it. */
    public PgasConfig ranks(int ranks) {
        return set(PgasKey.RANKS, Integer.toString(ranks));
    }

    /** Devices to compute on; without it, GPUs if there are any. */
    public PgasConfig device(Backend backend) {
        return set(PgasKey.DEVICE, backend.toString());
    }

    /** Bytes of each rank's shared heap in host memory. */
    public PgasConfig hostHeap(long bytes) {
        return set(PgasKey.HEAP_HOST, Long.toString(bytes));
    }

    /** Bytes of each rank's shared heap in device memory. */
    public PgasConfig deviceHeap(long bytes) {
        return set(PgasKey.HEAP_DEVICE, Long.toString(bytes));
    }

    /** Deadline of one wait. */
    public PgasConfig timeout(Duration timeout) {
        return set(PgasKey.TIMEOUT, timeout.toNanos() + "ns");
    }

    /** Takes the {@code --pgas.key=value} arguments out of {@code args} and returns the others. */
    List<String> takeArguments(String[] args) {
        List<String> rest = new ArrayList<>();
        for (String arg : args) {
            int equals = arg.indexOf('=');
            if (arg.startsWith("--pgas.") && equals > 0) {
                PgasKey key = key(arg.substring(2, equals));
                check(key, arg.substring(equals + 1), "argument");
                arguments.put(key, new Setting(arg.substring(equals + 1), "argument"));
            } else {
                rest.add(arg);
            }
        }
        return rest;
    }

    /** Adds properties and environment, checks and freezes. Runs once; the runtime calls it. */
    public PgasConfig conclude() {
        return conclude(System.getProperties(), System.getenv());
    }

    PgasConfig conclude(Map<?, ?> properties, Map<String, String> environment) {
        requireOpen();
        for (Object name : properties.keySet()) {
            if (name instanceof String text && text.startsWith("pgas.")) {
                key(text);
            }
        }
        for (PgasKey key : PgasKey.values()) {
            override(key, environment.get(key.environment()), "environment");
            override(key, (String) properties.get(key.property()), "property");
            Setting argument = arguments.get(key);
            if (argument != null) {
                settings.put(key, argument);
            }
        }
        concluded = true;
        return this;
    }

    private void override(PgasKey key, String value, String source) {
        if (value != null) {
            check(key, value, source);
            settings.put(key, new Setting(value, source));
        }
    }

    /** True if something other than the default was given. */
    public boolean isSet(PgasKey key) {
        return settings.containsKey(key);
    }

    /** True if the value is {@code auto}. */
    public boolean isAuto(PgasKey key) {
        return text(key).equals("auto");
    }

    /** The value as text. */
    public String text(PgasKey key) {
        Setting setting = settings.get(key);
        return setting == null ? key.defaultText() : setting.text;
    }

    /** Origin of the value: argument, property, environment, program or default. */
    public String source(PgasKey key) {
        Setting setting = settings.get(key);
        return setting == null ? "default" : setting.source;
    }

    /** A COUNT as number. */
    public int count(PgasKey key) {
        return Math.toIntExact(number(key, text(key), source(key)));
    }

    /** A SIZE in bytes. */
    public long bytes(PgasKey key) {
        return number(key, text(key), source(key));
    }

    /** A DURATION. */
    public Duration duration(PgasKey key) {
        return Duration.ofNanos(number(key, text(key), source(key)));
    }

    /** A FLAG. */
    public boolean flag(PgasKey key) {
        return Boolean.parseBoolean(text(key));
    }

    /** The effective settings and their sources, a line each. */
    public String describe() {
        StringBuilder lines = new StringBuilder();
        for (PgasKey key : PgasKey.values()) {
            lines.append(String.format(Locale.ROOT, "%-28s %-12s (%s)%n", key.property(), text(key), source(key)));
        }
        return lines.toString();
    }

    private void requireOpen() {
        if (concluded) {
            throw new IllegalStateException("PgasConfig is concluded: one config serves one Pgas.run");
        }
    }

    /**
     * Refuses a value that the setting cannot have.
     *
     * @param source of the value, for the message: {@code --device}, {@code argument}
     * @throws UsageException if it is no value of {@code key}; names the value, its source and what is expected
     */
    public static void check(PgasKey key, String value, String source) {
        switch (key.type()) {
            case CHOICE -> {
                if (!List.of(key.choices().split("\\|")).contains(value)) {
                    throw bad(key, value, source, "one of " + key.choices());
                }
            }
            case FLAG -> {
                if (!value.equals("true") && !value.equals("false")) {
                    throw bad(key, value, source, "true or false");
                }
            }
            case COUNT, SIZE, DURATION -> {
                if (!value.equals("auto") || !key.defaultText().equals("auto")) {
                    number(key, value, source);
                }
            }
            case TEXT -> {
                if (value.isBlank()) {
                    throw bad(key, value, source, "text");
                }
            }
        }
    }

    private static long number(PgasKey key, String value, String source) {
        int digits = 0;
        while (digits < value.length() && isDigitOrPoint(value.charAt(digits))) {
            digits++;
        }
        String unit = value.substring(digits).strip().toLowerCase(Locale.ROOT);
        long factor = switch (key.type()) {
            case SIZE -> switch (unit) {
                case "", "b" -> 1L;
                case "k", "kb", "kib" -> 1L << 10;
                case "m", "mb", "mib" -> 1L << 20;
                case "g", "gb", "gib" -> 1L << 30;
                case "t", "tb", "tib" -> 1L << 40;
                default -> throw bad(key, value, source, "a size such as 64m or 1.5g");
            };
            case DURATION -> switch (unit) {
                case "ns" -> 1L;
                case "us" -> 1_000L;
                case "ms" -> 1_000_000L;
                case "s" -> 1_000_000_000L;
                case "m", "min" -> 60_000_000_000L;
                case "h" -> 3_600_000_000_000L;
                default -> throw bad(key, value, source, "a time with its unit such as 500ms or 30s");
            };
            default -> {
                if (!unit.isEmpty()) {
                    throw bad(key, value, source, "a number");
                }
                yield 1L;
            }
        };
        long number;
        try {
            number = new java.math.BigDecimal(value.substring(0, digits)).multiply(java.math.BigDecimal.valueOf(factor))
                    .longValueExact();
        } catch (ArithmeticException | NumberFormatException _) {
            throw bad(key, value, source, "a whole number of " + (key.type() == PgasKey.Type.SIZE ? "bytes"
                    : key.type() == PgasKey.Type.DURATION ? "nanoseconds" : "units"));
        }
        if (number < key.min() || number > key.max()) {
            String counted = key.type() == PgasKey.Type.SIZE ? " bytes" : key.type() == PgasKey.Type.DURATION ? " ns" : "";
            throw bad(key, value, source, key.max() == Long.MAX_VALUE ? key.min() + counted + " or more"
                    : key.min() + ".." + key.max() + counted);
        }
        return number;
    }

    /** Of the digits only those that every reader of a command line takes for digits. */
    private static boolean isDigitOrPoint(char letter) {
        return letter >= '0' && letter <= '9' || letter == '.';
    }

    private static UsageException bad(PgasKey key, String value, String source, String expected) {
        return new UsageException("invalid value for " + key.property() + ": '" + value + "' from " + source
                + " (expected: " + expected + ")");
    }

    /**
     * The setting of that property.
     *
     * @throws UsageException if there is none; names those below it, else the nearest
     */
    public static PgasKey key(String property) {
        List<String> below = new ArrayList<>();
        PgasKey nearest = null;
        int best = Integer.MAX_VALUE;
        for (PgasKey key : PgasKey.values()) {
            if (key.property().equals(property)) {
                return key;
            }
            if (key.property().startsWith(property + ".")) {
                below.add(key.property());
            }
            int distance = distance(key.property(), property);
            if (distance < best) {
                best = distance;
                nearest = key;
            }
        }
        throw new UsageException("unknown setting " + property + " (maybe: "
                + (below.isEmpty() ? nearest.property() : String.join(" or ", below)) + "?)");
    }

    /** Levenshtein distance. */
    private static int distance(String a, String b) {
        int[] previous = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            previous[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int[] current = new int[b.length() + 1];
            current[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int change = previous[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                current[j] = Math.min(change, Math.min(previous[j], current[j - 1]) + 1);
            }
            previous = current;
        }
        return previous[b.length()];
    }
}
