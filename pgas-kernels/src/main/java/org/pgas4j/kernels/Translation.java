package org.pgas4j.kernels;

import java.lang.classfile.MethodModel;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.pgas4j.KernelRefusedException;

/**
 * C++ of a kernel: the structs of its records and the functions that it calls, each behind those that it uses. Used once, by one
 * thread.
 */
final class Translation {

    /** Form of a method. */
    enum Form {
        /** With two copies of some of its parts. */
        WHOLE(""),
        /**
         * As {@link #WHOLE}, for a call before which the thread has done nothing that must not be done twice: with all checks the kernel
         * starts again, so that they cost the other copy no registers.
         */
        FIRST("_first"),
        /** For callers that have checked the indices that follow from its parameters. */
        FAST("_fast"),
        /** With all checks where Java has them, and one copy of everything. */
        CHECKED("_checked");

        private final String suffix;

        Form(String suffix) {
            this.suffix = suffix;
        }
    }

    /** A translated method. @param written numbers of the parameters whose elements it writes */
    record Function(String name, Kind result, Set<Integer> written) {
    }

    private final String kernel;
    private final ClassFiles files;
    private final Effects effects;
    private final Effects effectsOutside;
    private final Map<Class<?>, RecordStruct> structs = new LinkedHashMap<>();
    private final Map<String, Function> functions = new LinkedHashMap<>();
    private final List<String> active = new ArrayList<>();
    private final List<KernelSite> sites = new ArrayList<>();
    private final List<KernelLine> lines = new ArrayList<>();
    private final StringBuilder declarations = new StringBuilder();
    private final StringBuilder bodies = new StringBuilder();
    private final Map<String, Long> blockMemory = new HashMap<>();
    private int names;
    private long blockBytes;
    private boolean usesBlocks;
    private boolean usesAtomics;
    private boolean gathers;
    private boolean restarts;
    private boolean restartsApart;
    private final SymbolicCalls calls = new SymbolicCalls(this);

    /** @param kernel name for messages */
    Translation(String kernel, ClassFiles files) {
        this.kernel = kernel;
        this.files = files;
        this.effects = new Effects(files, false);
        this.effectsOutside = new Effects(files, true);
    }

    ClassFiles files() {
        return files;
    }

    /** Effects of instructions, all that write arrays among them. */
    Effects effects() {
        return effects;
    }

    /** Effects of instructions where all arrays are memory of the thread, which it makes again when it starts again. */
    Effects effectsOutside() {
        return effectsOutside;
    }

    /** The methods of the kernel as their callers see them. */
    SymbolicCalls calls() {
        return calls;
    }

    /** Structs and functions. */
    String text() {
        return declarations + "\n" + bodies;
    }

    /** The places of the Java program that a fault may name, by their numbers. */
    List<KernelSite> sites() {
        return List.copyOf(sites);
    }

    /**
     * Offset of memory of the block, in bytes.
     *
     * @param place of the call that gives it: all forms of a method have the same memory
     */
    long blockMemory(String place, long length, int elementBytes) {
        Long known = blockMemory.get(place);
        if (known != null) {
            return known;
        }
        long offset = blockBytes;
        blockBytes = Math.ceilDiv(Math.addExact(offset, Math.multiplyExact(length, (long) elementBytes)), 16L) * 16;
        blockMemory.put(place, offset);
        return offset;
    }

    /** Notes that threads of a block wait for each other or use its memory. */
    void useBlocks() {
        usesBlocks = true;
    }

    /** Notes that it has atomic operations that stand on pgas_atomic.cuh. */
    void useAtomics() {
        usesAtomics = true;
    }

    boolean usesAtomics() {
        return usesAtomics;
    }

    /** Notes that it uses elements by indices that it loads, and waits for both. */
    void gather() {
        gathers = true;
    }

    /** True if it uses elements by indices that it loads: to have many of them under way takes registers. */
    boolean gathers() {
        return gathers;
    }

    /** Notes that threads may start the kernel again. */
    void restart() {
        if (!restarts) {
            declarations.append("[[noreturn]] PGAS_FUNCTION void pgas_restart(const pgas_context *cx);\n");
        }
        restarts = true;
    }

    /**
     * Notes a place where threads may start the kernel again, or a call of a method that may have one.
     *
     * @param isTogether whether those of a warp come there together
     */
    void comeFirst(boolean isTogether) {
        restartsApart |= !isTogether;
    }

    /** True if threads may start the kernel again. */
    boolean restarts() {
        return restarts;
    }

    /** True if none may: others may have seen what it wrote to memory of the block, or wait for it in another copy. */
    boolean mustNotRestart() {
        return restarts && (blockBytes > 0 || restartsApart && usesBlocks);
    }

    boolean usesBlocks() {
        return usesBlocks || blockBytes > 0;
    }

    /** Memory of a block that the kernel uses, bytes. */
    long blockBytes() {
        return blockBytes;
    }

    /** Number of a place that a fault may name. */
    int site(KernelSite site) {
        sites.add(site);
        return sites.size() - 1;
    }

    /** Number of a line that threads print; the same for those that are equal. */
    int line(KernelLine line) {
        if (!lines.contains(line)) {
            lines.add(line);
        }
        return lines.indexOf(line);
    }

    /** The lines that threads print, by their numbers. */
    List<KernelLine> lines() {
        return List.copyOf(lines);
    }

    /** A refusal. @param at place of it, or null for the kernel itself */
    KernelRefusedException refused(KernelSite at, String what, String advice) {
        return new KernelRefusedException("kernel " + kernel + " cannot run on a device: " + (at == null ? "it" : at) + " " + what
                + "; " + advice);
    }

    /**
     * Kind of values of a class.
     *
     * @param at place that uses one
     */
    Kind kind(Class<?> type, KernelSite at) {
        Kind known = known(type, at);
        if (known == null) {
            throw refused(at, "uses an object of " + type.getTypeName(), advice(type));
        }
        return known;
    }

    private static String advice(Class<?> type) {
        return java.lang.invoke.MethodType.methodType(type).unwrap().returnType().isPrimitive() ? "use the primitive type"
                : type.isEnum() ? "use its ordinal, or decide before the kernel"
                : type == String.class ? "decide before the kernel, and use a number"
                : "kernels know numbers, records of numbers, shared arrays, buffers and their own thread";
    }

    private Kind known(Class<?> type, KernelSite at) {
        if (type == int.class || type == boolean.class || type == byte.class || type == short.class || type == char.class) {
            return Kind.Number.INT;
        }
        if (type == long.class) {
            return Kind.Number.LONG;
        }
        if (type == float.class) {
            return Kind.Number.FLOAT;
        }
        if (type == double.class) {
            return Kind.Number.DOUBLE;
        }
        if (type.isRecord() && type != org.pgas4j.Kernel.class) {
            return new Kind.Struct(struct(type, at));
        }
        KnownType object = KnownType.of(type);
        return object == null ? null : new Kind.Known(object);
    }

    private RecordStruct struct(Class<?> type, KernelSite at) {
        RecordStruct known = structs.get(type);
        if (known == null) {
            known = new RecordStruct(type, identifier(type.getSimpleName()) + "_" + structs.size(),
                    component -> component(type, component, at));
            structs.put(type, known);
            declarations.append(known.declaration());
        }
        return known;
    }

    private Kind component(Class<?> record, Class<?> type, KernelSite at) {
        Kind kind = known(type, at);
        if (kind == null || kind instanceof Kind.Known) {
            throw refused(at, "uses record " + record.getTypeName() + ", which has a component of type " + type.getTypeName(),
                    "records of kernels have numbers and records of numbers; pass the rest beside it");
        }
        return kind;
    }

    /**
     * The function for a method, translated if it was not yet.
     *
     * @param from place of the call
     */
    Function function(KernelSite from, String owner, String name, String descriptor, Form form) {
        String key = owner + "." + name + descriptor;
        Function known = functions.get(key + form);
        if (known != null) {
            return known;
        }
        if (active.contains(key)) {
            throw refused(from, "calls itself: " + name, "write a loop");
        }
        String declaring = files.declaring(owner, name, descriptor);
        MethodModel method = files.method(declaring, name, descriptor);
        if (method == null || method.code().isEmpty()) {
            throw refused(from, "calls " + owner.replace('/', '.') + "." + name + ", which has no Java code in that class",
                    "call static methods and methods of records");
        }
        active.add(key);
        Function made = translate(from, declaring, method, identifier(owner, name) + form.suffix, form);
        active.removeLast();
        functions.put(key + form, made);
        return made;
    }

    /**
     * Function that does all of a static method with all checks, and is not copied to its callers: compilers give registers to what is
     * likely.
     *
     * @param call of it
     */
    String again(KernelSite from, String owner, MethodModel method, FarCall call) {
        String name = method.methodName().stringValue();
        String descriptor = method.methodType().stringValue();
        boolean wasActive = active.remove(owner + "." + name + descriptor); // it does not call itself: this is another form of it
        Function checked = function(from, owner, name, descriptor, Form.CHECKED);
        if (wasActive) {
            active.add(owner + "." + name + descriptor);
        }
        String again = checked.name() + "_again";
        if (functions.putIfAbsent(again, checked) == null) {
            bodies.append(call.function(again, checked));
        }
        return again;
    }

    /** A refusal in the JDK's code is one of the program's call. */
    private Function translate(KernelSite from, String owner, MethodModel method, String name, Form form) {
        try {
            return new MethodTranslator(this, owner, method, name, form).translate(bodies);
        } catch (KernelRefusedException e) {
            if (!owner.startsWith("java/") || from.method().startsWith("java.")) {
                throw e;
            }
            String called = owner.replace('/', '.') + "." + method.methodName().stringValue();
            KernelRefusedException refusal = refused(from, "calls " + called + ", whose code in the JDK kernels cannot have",
                    "docs/kernels.md lists what they have; write a static method for the rest");
            refusal.addSuppressed(e);
            throw refusal;
        }
    }

    private String identifier(String owner, String name) {
        return "j_" + identifier(owner.substring(owner.lastIndexOf('/') + 1) + "_" + name.replace("<init>", "new")) + "_" + names++;
    }

    private static String identifier(String text) {
        StringBuilder plain = new StringBuilder();
        text.chars().forEach(c -> plain.append(c < 128 && Character.isLetterOrDigit(c) ? (char) c : '_'));
        return plain.toString();
    }
}
