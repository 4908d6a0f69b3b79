package org.pgas4j.testkit.fuzz;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.spi.ToolProvider;
import org.pgas4j.Backend;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.Kernel;
import org.pgas4j.KernelException;
import org.pgas4j.PgasException;
import org.pgas4j.Rank;
import org.pgas4j.kernel.ThreadKernel;
import org.pgas4j.testkit.program.Tally;

/**
 * Generated methods as one kernel on a rank's device, a thread for each call, beside the same calls in plain Java. A call that
 * throws there must end its thread here, and no other; a value must be the same to the last bit, but for which NaN it is.
 */
final class FuzzBatch {

    /** Calls of a method: a warp. */
    private static final int INPUTS = 32;

    private final Rank rank;
    private final long number;
    private final FuzzClass program;
    private final long seed;
    private final FuzzInputs inputs;

    FuzzBatch(Rank rank, long number, long seed, int methods) {
        this.rank = rank;
        this.number = number;
        this.program = new FuzzClass("Fuzz" + number, seed, methods);
        this.seed = seed;
        this.inputs = FuzzInputs.of(seed, INPUTS);
    }

    /** Compiles, runs and compares, and counts each call as a check. */
    FuzzTotals.Batch run(Path folder, Tally check) {
        long begin = System.nanoTime();
        compile(folder);
        try (URLClassLoader loader = new URLClassLoader(new URL[] {folder.toUri().toURL()}, FuzzBatch.class.getClassLoader())) {
            MethodHandles.Lookup lookup = MethodHandles.publicLookup();
            MethodHandle plain = lookup.findStatic(loader.loadClass(program.name()), "run",
                    MethodType.methodType(long.class, int.class, int.class, long.class, float.class, double.class));
            MethodHandle kernel = lookup.findStatic(loader.loadClass(program.kernelName()), "of",
                    MethodType.methodType(ThreadKernel.class, Buffer.class, Buffer.class, Buffer.class, Buffer.class,
                            Buffer.class, Buffer.class, long.class));
            FuzzCalls calls = new FuzzCalls(program, "batch " + number + ", seed " + seed, inputs, plain);
            long loaded = System.nanoTime();
            long compareNs = compare(calls, kernel, check);
            return new FuzzTotals.Batch(program.count(), calls.values(), calls.faults(), loaded - begin,
                    System.nanoTime() - loaded - compareNs, compareNs);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (ReflectiveOperationException e) {
            throw new PgasException("generated class of seed " + seed + ": " + e, e);
        }
    }

    private void compile(Path folder) {
        StringWriter messages = new StringWriter();
        PrintWriter out = new PrintWriter(messages);
        int status;
        try {
            Files.createDirectories(folder);
            Path methods = Files.writeString(folder.resolve(program.name() + ".java"), program.source());
            Path kernel = Files.writeString(folder.resolve(program.kernelName() + ".java"), program.kernel(INPUTS));
            ToolProvider javac = ToolProvider.findFirst("javac").orElseThrow(
                    () -> new PgasException("kernel-fuzz needs a JDK: this Java has no javac"));
            status = javac.run(out, out, "-g:source,lines", "-nowarn", "-proc:none", "-cp", api(), "-d",
                    folder.toString(), methods.toString(), kernel.toString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        if (status != 0) {
            throw new PgasException("javac refuses the class of seed " + seed + ":\n" + messages);
        }
    }

    /** Path of the classes that the kernel needs, alone: a compiler reads the list of each jar of a path. */
    private static String api() {
        return Path.of(URI.create(Buffer.class.getProtectionDomain().getCodeSource().getLocation().toString())).toString();
    }

    /** @return nanoseconds for the calls in plain Java and the comparison */
    private long compare(FuzzCalls calls, MethodHandle making, Tally check) {
        List<Buffer> memory = new ArrayList<>();
        try (Arena arena = Arena.ofShared()) {
            MemorySegment[] arguments = inputs.copied(arena);
            ElementType[] types = {ElementType.INT, ElementType.LONG, ElementType.FLOAT, ElementType.DOUBLE};
            for (int i = 0; i < types.length; i++) {
                memory.add(rank.device().alloc(types[i], INPUTS));
                rank.stream().copy(memory.get(i), Buffer.ofHost(arguments[i], types[i]));
            }
            Buffer given = rank.device().alloc(ElementType.LONG, calls.count());
            Buffer done = rank.device().alloc(ElementType.INT, calls.count());
            memory.add(given);
            memory.add(done);
            rank.stream().fill(done, 0);
            rank.stream().sync();
            String fault = launch((ThreadKernel) made(making, memory, calls.count()), calls.count());
            MemorySegment valuesOnHost = arena.allocate(given.bytes(), Long.BYTES);
            MemorySegment doneOnHost = arena.allocate(done.bytes(), Long.BYTES);
            rank.stream().copy(Buffer.ofHost(valuesOnHost, ElementType.LONG), given);
            rank.stream().copy(Buffer.ofHost(doneOnHost, ElementType.INT), done);
            rank.stream().sync();
            long begin = System.nanoTime();
            calls.compare(valuesOnHost, doneOnHost, fault, check::that);
            return System.nanoTime() - begin;
        } finally {
            memory.forEach(Buffer::close);
        }
    }

    private Object made(MethodHandle making, List<Buffer> memory, int calls) {
        List<Object> arguments = new ArrayList<>(memory);
        arguments.add((long) calls);
        try {
            return making.invokeWithArguments(arguments);
        } catch (Throwable e) {
            throw new PgasException("kernel of seed " + seed + ": " + e, e);
        }
    }

    /** Message of the kernel's fault, or null. A thread alone in its block: on the host device a fault ends the block. */
    private String launch(ThreadKernel kernel, int calls) {
        boolean isHost = rank.device().backend() == Backend.HOST;
        try {
            rank.stream().launch(isHost ? new Kernel.Shape(calls, 1) : Kernel.Shape.covering(calls, INPUTS), kernel);
            rank.stream().sync();
            return null;
        } catch (KernelException e) {
            return e.getMessage();
        }
    }
}
