package org.pgas4j.examples.common;

import java.util.List;
import org.pgas4j.PgasConfig;
import org.pgas4j.PgasKey;
import org.pgas4j.UsageException;

/** Checks of options; what is out of range throws {@link UsageException} with option, value and range. */
public final class Options {

    /** Threads of a warp. */
    public static final int WARP = 32;
    /** Most threads of a block. */
    public static final int MAX_THREADS = 1024;
    private static final String RUNTIME_OPTION = "--pgas.";

    private Options() {
    }

    /** Makes {@code --pgas.key=value} system properties; returns the other arguments. */
    public static String[] takeRuntimeOptions(List<String> args) {
        for (String arg : args) {
            if (isRuntimeOption(arg)) {
                int equals = arg.indexOf('=');
                System.setProperty(arg.substring(2, equals), arg.substring(equals + 1));
            }
        }
        return args.stream().filter(arg -> !isRuntimeOption(arg)).toArray(String[]::new);
    }

    private static boolean isRuntimeOption(String arg) {
        return arg.startsWith(RUNTIME_OPTION) && arg.indexOf('=') > 0;
    }

    /** {@code device} may be null, for not given. */
    public static void checkDevice(String device) {
        if (device != null && !device.matches("auto|host|cuda")) {
            throw new UsageException("--device " + device + " (expected: auto, host or cuda)");
        }
    }

    /** At least so much. */
    public static void atLeast(long least, String option, long value) {
        if (value < least) {
            throw new UsageException(option + " " + value + " (expected: >= " + least + ")");
        }
    }

    /** Both ends included. */
    public static void inRange(String option, long value, long least, long most) {
        if (value < least || value > most) {
            throw new UsageException(option + " " + value + " (expected: " + least + ".." + most + ")");
        }
    }

    /** The threads of a block are whole warps. */
    public static void threads(int threads) {
        inRange("--threads", threads, WARP, MAX_THREADS);
        if (threads % WARP != 0) {
            throw new UsageException("--threads " + threads + " (expected: a multiple of " + WARP + ")");
        }
    }

    /**
     * The number of ranks: as the job's settings say, else the option, else the default.
     *
     * @param option null if not given; if given, what the job has
     * @param least  what the program needs
     * @param why    text after {@code least} in the message
     */
    public static int ranks(Integer option, int standard, int least, String why) {
        PgasConfig given = new PgasConfig().conclude();
        int chosen = given.isSet(PgasKey.RANKS) && !given.isAuto(PgasKey.RANKS) ? given.count(PgasKey.RANKS)
                : option == null ? standard : option;
        if (chosen < least || option != null && option != chosen) {
            throw new UsageException("--ranks " + (option == null ? chosen : option) + " (expected: >= " + least + why
                    + ", and what the job has: " + chosen + ")");
        }
        return chosen;
    }
}
