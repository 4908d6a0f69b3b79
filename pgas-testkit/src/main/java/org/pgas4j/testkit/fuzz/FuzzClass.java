package org.pgas4j.testkit.fuzz;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * A generated Java class without a package: records, methods that others call, and methods of one int, long, float and double
 * that are compared where they run. All of it follows from its seed. Immutable.
 */
public final class FuzzClass {

    private static final String KERNEL = """
            import org.pgas4j.Buffer;
            import org.pgas4j.kernel.ThreadKernel;

            public final class NAMEKernel {
                public static ThreadKernel of(Buffer ints, Buffer longs, Buffer floats, Buffer doubles, Buffer values, Buffer done,
                        long calls) {
                    return self -> {
                        long call = self.global();
                        if (call < calls) {
                            int input = (int) (call % INPUTS);
                            int i = input < 0 ? 0 : ints.getInt(input);
                            long l = input < 0 ? 0 : longs.getLong(input);
                            float f = input < 0 ? 0 : floats.getFloat(input);
                            double d = input < 0 ? 0 : doubles.getDouble(input);
                            values.putLong(call, NAME.run((int) (call / INPUTS), i, l, f, d));
                            done.putInt(call, 1);
                        }
                    };
                }
            }
            """;
    private static final int HELPERS = 8;
    private static final List<FuzzType> PARAMETERS = List.of(FuzzType.INT, FuzzType.LONG, FuzzType.FLOAT, FuzzType.DOUBLE);

    private static final String RECORDS = """
                record Pair(int x, long y) {
                    Pair {
                        if (x == 7 || y < -1000) {
                            y += x;
                            x = x > 0 ? -x : x;
                        }
                    }
                    Pair with(int other) { return new Pair(other ^ x, y + 1); }
                    long total() { return x + y; }
                }
                record Mixed(float f, double d, byte b, short s, char c, boolean z) {
                    Mixed(float f, double d, byte b, short s, char c, boolean z) {
                        this.f = f > 1 ? f : -f;
                        this.d = z && d < 5 ? d * 2 : (this.f + d);
                        this.b = (byte) (b + (z ? s : c));
                        this.s = s;
                        this.c = c++;
                        this.z = z ^ c == 'x';
                    }
                    Mixed(int n) { this(n, n > 9 ? n * 0.5 : n, (byte) n, (short) (n >> 3), (char) -n, (n & 1) == 0); }
                }
                static int pair(int[] w, int k) { return w[k] * 31 + w[k + 1]; }
                static int stepped(int[] w, int k, int by) {
                    w[k] += by;
                    return k > 1 ? w[k - 1] : pair(w, k + 1);
                }
                record Nest(Pair pair, Mixed mixed, long k) {
                    static Nest of(int n, double d) {
                        Pair one = new Pair(n, (long) d);
                        return new Nest(n > 3 ? one : one.with(2), new Mixed(n - 1), one.total());
                    }
                    double weight() { return pair.total() * mixed.d() + mixed.b() + (mixed.z() ? k : mixed.c()); }
                }
            """;

    private final String name;
    private final List<String> methods = new ArrayList<>();
    private final String source;

    /**
     * Generates a class.
     *
     * @param count of methods that are compared
     */
    public FuzzClass(String name, long seed, int count) {
        this.name = name;
        Random random = new Random(seed);
        StringBuilder text = new StringBuilder("@SuppressWarnings(\"all\") public class " + name + " {\n" + RECORDS);
        List<FuzzScope.Method> helpers = new ArrayList<>();
        for (int i = 0; i < HELPERS; i++) {
            FuzzScope.Method helper = new FuzzScope.Method("helper" + i, FuzzType.any(random),
                    List.of(FuzzType.any(random), FuzzType.any(random)));
            text.append(FuzzStatements.method(random, new FuzzScope(random, List.copyOf(helpers), 1), helper, 2, 0));
            helpers.add(helper);
        }
        StringBuilder run = new StringBuilder("    public static long run(int method, int i, long l, float f, double d) {\n"
                + "        return switch (method) {\n");
        for (int i = 0; i < count; i++) {
            methods.add(method(i, new Random(seed * 31 + i), helpers));
            text.append(methods.getLast());
            run.append("            case ").append(i).append(" -> m").append(i).append("(i, l, f, d);\n");
        }
        source = text + run.append("            default -> throw new IllegalArgumentException();\n        };\n    }\n}\n").toString();
    }

    /** A method of result long that is made of the bits of one of a random type. */
    private static String method(int number, Random random, List<FuzzScope.Method> helpers) {
        FuzzScope scope = new FuzzScope(random, helpers, 3);
        FuzzScope.Method method = new FuzzScope.Method("m" + number, PARAMETERS.get(random.nextInt(PARAMETERS.size())), PARAMETERS);
        String text = FuzzStatements.method(random, scope, method, 3, 2);
        int end = text.lastIndexOf("return ") + "return ".length();
        String value = text.substring(end, text.lastIndexOf(';'));
        return text.substring(0, end).replaceFirst("static \\w+", "static long") + switch (method.result()) {
            case INT, LONG -> value;
            case FLOAT -> "Float.floatToIntBits(" + value + ")";
            default -> "Double.doubleToLongBits(" + value + ")";
        } + ";\n    }\n";
    }

    /** Name of the class. */
    public String name() {
        return name;
    }

    /**
     * Its source. {@code public static long run(int method, int i, long l, float f, double d)} calls a method, which gives the bits
     * of a value or throws.
     */
    public String source() {
        return source;
    }

    /** Name of the class of {@link #kernel}. */
    public String kernelName() {
        return name + "Kernel";
    }

    /**
     * Source of a class whose {@code of} gives a kernel with a thread for each call, those of a method with {@code inputs} arguments
     * one after the other. Each argument is read behind a condition: reads side by side would be checked together, and all methods be
     * compiled once more for the case that they are out of bounds.
     */
    public String kernel(int inputs) {
        return KERNEL.replace("NAME", name).replace("INPUTS", Integer.toString(inputs));
    }

    /** Number of methods that are compared. */
    public int count() {
        return methods.size();
    }

    /** Source of one of them. */
    public String method(int number) {
        return methods.get(number);
    }
}
