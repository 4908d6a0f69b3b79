package org.pgas4j.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import org.pgas4j.testkit.fuzz.FuzzClass;
import org.pgas4j.testkit.fuzz.FuzzInputs;

/** Compiles a generated class, translates it to C++, runs both, and compares values and faults bit for bit. */
@SuppressWarnings("restricted")
final class FuzzComparison {

    private static final String RUN = """
            extern "C" void pgas_fuzz(const int *i, const long long *l, const float *f, const double *d, int inputs,
                                      long long *values, pgas_fault *faults) {
                for (unsigned m = 0; m < sizeof(METHODS) / sizeof(METHODS[0]); m++) {
                    for (int v = 0; v < inputs; v++, values++, faults++) {
                        pgas_context context = {faults};
                        try {
                            *values = METHODS[m](&context, i[v], l[v], f[v], d[v]);
                        } catch (pgas_started_again) {
                            pgas_restarts++;
                            try {
                                *values = AGAIN[m](&context, i[v], l[v], f[v], d[v]);
                            } catch (pgas_stopped) {
                            }
                        } catch (pgas_stopped) {
                        }
                    }
                }
            }
            """;
    private static final String COUNTS = "extern \"C\" { long long pgas_fast, pgas_slow, pgas_again, pgas_restarts; }\n"
            + "struct pgas_started_again { };\n"
            + "[[noreturn]] PGAS_FUNCTION void pgas_restart(const pgas_context *) { throw pgas_started_again(); }\n"
            + "static long long pgas_unexpected(const pgas_context *cx, int, long long, float, double) {\n"
            + "    pgas_stop(cx, PGAS_UNREACHABLE, 0, 0, 0);\n    return 0;\n}\n";
    private static final String TYPE_OF_TABLE = "[])(const pgas_context *, int, long long, float, double) = {\n";
    private static final Pattern CALL = Pattern.compile("\\b(j_\\w+(?=\\()|pgas_restart(?=\\(cx\\)))");
    private static final int FAULT_BYTES = 48;
    private static final FunctionDescriptor TYPE = FunctionDescriptor.ofVoid(ValueLayout.ADDRESS, ValueLayout.ADDRESS,
            ValueLayout.ADDRESS, ValueLayout.ADDRESS, ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.ADDRESS);
    private static final int INPUTS = 14;

    private final FuzzClass program;
    private final long seed;
    private final boolean isThorough;
    private final Path folder;
    private final FuzzInputs inputs;
    private final List<Translation.Function> functions = new ArrayList<>();
    private Translation translation;
    private int values;
    private int faults;
    private long fast;
    private long slow;
    private long again;
    private long restarts;

    /**
     * @param isThorough whether g++ optimizes, and compiles the form with all checks of methods that never start again too: more than
     *                   half of its time
     */
    FuzzComparison(String name, long seed, int methods, boolean isThorough, Path folder) {
        this.program = new FuzzClass(name, seed, methods);
        this.seed = seed;
        this.isThorough = isThorough;
        this.folder = folder;
        this.inputs = FuzzInputs.of(seed, INPUTS);
    }

    /** Number of values that were equal. */
    int values() {
        return values;
    }

    /** Number of calls that stopped, in Java and in C++ alike. */
    int faults() {
        return faults;
    }

    /**
     * Number of times that a copy without checks was entered, that it was not, that it gave up for the one with checks, and that a method
     * started again.
     */
    long[] copies() {
        return new long[] {fast, slow, again, restarts};
    }

    /** @return this */
    FuzzComparison run() throws Throwable {
        compileJava();
        try (URLClassLoader loader = new URLClassLoader(new URL[] {folder.toUri().toURL()}, getClass().getClassLoader());
                Arena arena = Arena.ofShared()) {
            MethodHandle java = MethodHandles.publicLookup().findStatic(loader.loadClass(program.name()), "run",
                    MethodType.methodType(long.class, int.class, int.class, long.class, float.class, double.class));
            SymbolLookup library = HostCompiler.compile(cpp(loader), isThorough ? "-O1" : "-O0", folder, arena);
            MemorySegment results = arena.allocate(8L * program.count() * INPUTS, 8);
            MemorySegment stops = arena.allocate((long) FAULT_BYTES * program.count() * INPUTS, 8);
            MemorySegment[] arguments = inputs.copied(arena);
            HostCompiler.function(library, "pgas_fuzz", TYPE).invokeExact(arguments[0], arguments[1], arguments[2], arguments[3], INPUTS,
                    results, stops);
            count(library);
            for (int i = 0; i < program.count() * INPUTS; i++) {
                compare(java, i, results.getAtIndex(ValueLayout.JAVA_LONG, i), stops.asSlice((long) FAULT_BYTES * i, FAULT_BYTES));
            }
        }
        return this;
    }

    private void compileJava() throws IOException {
        Files.createDirectories(folder);
        Path file = Files.writeString(folder.resolve(program.name() + ".java"), program.source());
        StringWriter messages = new StringWriter();
        PrintWriter out = new PrintWriter(messages);
        int status = ToolProvider.findFirst("javac").orElseThrow().run(out, out, "-g", "-nowarn", "-proc:none", "-d",
                folder.toString(), file.toString());
        assertEquals(0, status, () -> "javac refuses seed " + seed + ":\n" + messages);
    }

    private String cpp(ClassLoader loader) {
        translation = new Translation(program.name(), new ClassFiles(loader));
        StringBuilder table = new StringBuilder();
        for (int i = 0; i < program.count(); i++) {
            functions.add(function(i, Translation.Form.FIRST));
            table.append("    ").append(functions.getLast().name()).append(",\n");
        }
        Set<String> restarting = restarting(translation.text());
        StringBuilder checked = new StringBuilder();
        for (int i = 0; i < program.count(); i++) {
            boolean isNeeded = isThorough || restarting.contains(functions.get(i).name());
            checked.append("    ").append(isNeeded ? function(i, Translation.Form.CHECKED).name() : "pgas_unexpected").append(",\n");
        }
        return KernelTranslator.header() + COUNTS + counted(translation.text())
                + "static long long (*const METHODS" + TYPE_OF_TABLE + table + "};\n"
                + "static long long (*const AGAIN" + TYPE_OF_TABLE + checked + "};\n" + RUN;
    }

    private Translation.Function function(int method, Translation.Form form) {
        KernelSite start = new KernelSite(program.name(), program.name() + ".java", 0, null);
        try {
            return translation.function(start, program.name(), "m" + method, "(IJFD)J", form);
        } catch (RuntimeException e) {
            throw new AssertionError("seed " + seed + ", method " + method + " is not translated:\n" + program.method(method), e);
        }
    }

    /** Names of the functions that may start the kernel again, themselves or in a function above them. */
    private static Set<String> restarting(String text) {
        Set<String> names = new HashSet<>(Set.of("pgas_restart"));
        for (String function : text.split("\n}\n")) {
            List<String> called = CALL.matcher(function).results().map(call -> call.group(1)).toList(); // the first is itself
            if (called.stream().skip(1).anyMatch(names::contains)) {
                names.add(called.getFirst());
            }
        }
        return names;
    }

    /** Counts the uses of the copies of parts. */
    private static String counted(String text) {
        return text.replaceAll("if \\(!\\((.*)\\)\\) goto (S\\d+);", "if (!($1)) { pgas_slow++; goto $2; } pgas_fast++;")
                .replaceAll("if \\(outside == 0\\) (goto \\w+;)", "if (outside == 0) $1 pgas_again++;");
    }

    private void count(SymbolLookup library) {
        fast = count(library, "pgas_fast");
        slow = count(library, "pgas_slow");
        again = count(library, "pgas_again");
        restarts = count(library, "pgas_restarts");
    }

    private static long count(SymbolLookup library, String name) {
        return library.findOrThrow(name).reinterpret(Long.BYTES).get(ValueLayout.JAVA_LONG, 0);
    }

    private void compare(MethodHandle java, int call, long found, MemorySegment stop) throws Throwable {
        int method = call / INPUTS;
        int input = call % INPUTS;
        String expected;
        try {
            expected = Long.toString((long) java.invokeExact(method, inputs.ints()[input], inputs.longs()[input],
                    inputs.floats()[input], inputs.doubles()[input]));
            values++;
        } catch (ArithmeticException | IndexOutOfBoundsException | IllegalArgumentException e) {
            expected = expected(e);
            faults++;
        }
        String given = stop.get(ValueLayout.JAVA_INT, 0) == 0 ? Long.toString(found) : stopped(stop);
        if (!given.equals(expected)) {
            throw new AssertionError("seed " + seed + ", method " + method + " of " + inputs.text(input) + ": Java gives " + expected
                    + ", C++ " + given + "\n" + program.method(method) + "\n" + function(method));
        }
    }

    private static String expected(RuntimeException e) {
        StackTraceElement at = e.getStackTrace()[0];
        if (e instanceof IndexOutOfBoundsException) {
            for (int i = 0; at.getClassName().startsWith("java.") || at.getClassName().startsWith("jdk."); ) {
                at = e.getStackTrace()[++i]; // of the call of Objects.checkIndex
            }
            return e.getMessage() + " at line " + at.getLineNumber();
        }
        return ("/ by zero".equals(e.getMessage()) ? FaultKind.DIVISION.name() : e.getClass().getName() + ": " + e.getMessage())
                + " at line " + at.getLineNumber();
    }

    private String stopped(MemorySegment stop) {
        FaultKind kind = FaultKind.of(stop.get(ValueLayout.JAVA_INT, 4));
        KernelSite site = translation.sites().get(stop.get(ValueLayout.JAVA_INT, 8));
        return (kind == FaultKind.INDEX ? "Index " + stop.get(ValueLayout.JAVA_LONG, 16) + " out of bounds for length "
                + stop.get(ValueLayout.JAVA_LONG, 24) : kind == FaultKind.THROWN ? site.what() : kind.name()) + " at line " + site.line();
    }

    private String function(int method) {
        String text = translation.text();
        int start = text.indexOf(" " + functions.get(method).name() + "(");
        int end = text.indexOf("\n}\n", start);
        return text.substring(Math.max(0, start), end < 0 ? text.length() : end + 3);
    }
}
