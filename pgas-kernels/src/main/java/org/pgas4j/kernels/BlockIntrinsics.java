package org.pgas4j.kernels;

import java.lang.classfile.Opcode;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.pgas4j.GridRank;
import org.pgas4j.GridSourceWindow;
import org.pgas4j.GridSplit;
import org.pgas4j.kernel.KernelThread;

/**
 * The methods of {@link GridRank}, {@link GridSplit} and {@link GridSourceWindow} in C++, by the device library; what they lack, with
 * advice.
 */
final class BlockIntrinsics {

    /** Class of a block, in internal form. */
    static final String RANK = internal(GridRank.class);

    private static final String SPLIT = internal(GridSplit.class);
    private static final String SOURCES = internal(GridSourceWindow.class);
    /** Class of a thread, in internal form. */
    static final String THREAD = internal(KernelThread.class);

    private static final String BUFFER = "Lorg/pgas4j/Buffer;";
    private static final String SEGMENT = "Ljava/lang/foreign/MemorySegment;";
    private static final String COMM = "Lorg/pgas4j/GridRank$Comm;";
    private static final String CALLERS = "Lorg/pgas4j/GridRank$Callers;";
    private static final String COMPARISON = "Lorg/pgas4j/GridRank$Comparison;";
    private static final String TYPE = "Lorg/pgas4j/ElementType;";
    private static final String ATOMIC = "Lorg/pgas4j/AtomicOp;";
    private static final String REDUCE = "Lorg/pgas4j/ReduceOp;";
    private static final String DIMS = "Lorg/pgas4j/DeviceGrid$Dims;";
    private static final String PART = "Lorg/pgas4j/GridSplit;";
    private static final String WINDOW = "Lorg/pgas4j/GridSourceWindow;";

    /** Begins the texts of the constants of {@link org.pgas4j.AtomicOp}. */
    static final String ATOMIC_PREFIX = "PGAS_ATOMIC_";

    /** Begins the texts of the constants of {@link org.pgas4j.ReduceOp}. */
    static final String REDUCE_PREFIX = "PGAS_REDUCE_";

    private static final String TYPE_PREFIX = "PGAS_TYPE_";
    private static final Set<String> WITH_WORDS = Set.of("putSet", "awaitValue", "testValue", "awaitAnyValue", "awaitSomeValues",
            "awaitAllValues", "testValues");
    private static final List<String> WORDS = List.of("INT", "LONG");
    private static final Set<String> WITH_ELEMENTS = Set.of("reduce", "allReduce", "scan");
    private static final List<String> ELEMENTS = List.of("INT", "LONG", "FLOAT", "DOUBLE");

    private static final Map<String, Intrinsic> OF_RANK = new HashMap<>();
    private static final Map<String, Intrinsic> OF_SPLIT = new HashMap<>();
    private static final Map<String, Intrinsic> OF_SOURCES = new HashMap<>();
    private static final Map<String, String> ADVICE = new HashMap<>(); // by class and signature
    private static final Set<String> INHERITED = inherited();

    static {
        ranks();
        memory();
        puts();
        requests();
        gets();
        words();
        notifications();
        values();
        rest();
        splits();
        sources();
        refusals();
    }

    private BlockIntrinsics() {
    }

    private static String internal(Class<?> type) {
        return type.getName().replace('.', '/');
    }

    /** Names of methods that {@link GridRank} has from {@link KernelThread} alone. */
    private static Set<String> inherited() {
        Set<String> names = new HashSet<>();
        for (Method method : KernelThread.class.getDeclaredMethods()) {
            names.add(method.getName());
        }
        for (Method method : GridRank.class.getDeclaredMethods()) {
            names.remove(method.getName());
        }
        return names;
    }

    /** Method of {@link GridRank}; {@code inherited} if it has none of its own, or null. */
    static Intrinsic ofRank(String signature, Intrinsic inherited) {
        return OF_RANK.getOrDefault(signature, inherited);
    }

    /** Method of {@link GridSplit}, or null. */
    static Intrinsic ofSplit(String signature) {
        return OF_SPLIT.get(signature);
    }

    /** Method of {@link GridSourceWindow}, or null. */
    static Intrinsic ofSources(String signature) {
        return OF_SOURCES.get(signature);
    }

    /** Advice for a method that block programs do not have; null for all others. */
    static String advice(String owner, String signature) {
        return ADVICE.get(owner + "." + signature);
    }

    static String advice(InvokeInstruction call) {
        return advice(call.owner().asInternalName(), call.name().stringValue() + call.type().stringValue());
    }

    /**
     * Advice against an argument of a call that is a constant type which the method does not take; null for all others. A type that is
     * no constant is compared on the device.
     */
    static String typeAdvice(InvokeInstruction call, Operand argument) {
        String owner = call.owner().asInternalName();
        String name = call.name().stringValue();
        List<String> types = owner.equals(RANK) && WITH_WORDS.contains(name) ? WORDS
                : owner.equals(SPLIT) && WITH_ELEMENTS.contains(name) ? ELEMENTS : null;
        return types == null || !(argument instanceof Operand.Value value) || !value.text().startsWith(TYPE_PREFIX)
                || types.contains(value.text().substring(TYPE_PREFIX.length())) ? null : "use one of " + String.join(", ", types);
    }

    /** Class whose code is translated for a method without C++ form. */
    static String owner(String owner, String method) {
        return owner.equals(RANK) && INHERITED.contains(method) ? THREAD : owner;
    }

    /** A constant of an enum that operations take, or null. */
    static Operand constant(Field field) {
        KnownType type = field.isEnumConstant() ? KnownType.of(field.getType()) : null;
        if (type == null) {
            return null;
        }
        String prefix = switch (type) {
            case CALLERS -> "CALLERS_";
            case ELEMENT_TYPE -> "TYPE_";
            case ATOMIC_OP -> "ATOMIC_";
            case REDUCE_OP -> "REDUCE_";
            default -> "";
        };
        return Operand.Value.fixed(new Kind.Known(type), "PGAS_" + prefix + field.getName());
    }

    /** True for a comparison of a buffer with null. */
    static boolean isNullTest(Opcode opcode, Kind kind) {
        return (opcode == Opcode.IFNULL || opcode == Opcode.IFNONNULL) && kind instanceof Kind.Known known
                && known.type() == KnownType.BUFFER;
    }

    /** The argument of a call: the text of {@link GridRank#log} as a literal, all others as they are. */
    static Operand text(InvokeInstruction call, Operand argument) {
        return argument instanceof Operand.Text text && text.isWhole() && call.owner().asInternalName().equals(RANK)
                && call.name().equalsString("log") ? Operand.Value.fixed(new Kind.Known(KnownType.THREAD), literal(text.value())) : argument;
    }

    /** A literal of C++. */
    static String literal(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (byte b : text.getBytes(java.nio.charset.StandardCharsets.UTF_8)) {
            quoted.append(b >= ' ' && b != '"' && b != '\\' && b != '?' ? Character.toString(b)
                    : "\\" + String.format(java.util.Locale.ROOT, "%03o", b & 0xff));
        }
        return quoted.append('"').toString();
    }

    private static void rank(String signature, String template) {
        OF_RANK.put(signature, new Intrinsic(template, false));
    }

    /** A number that is the same in all of a launch. */
    private static void fixed(String signature, String template) {
        OF_RANK.put(signature, new Intrinsic(template, true));
    }

    private static void ranks() {
        fixed("rank(" + COMM + ")I", "::pgas_rank($0->c, $1)");
        fixed("ranks(" + COMM + ")I", "::pgas_size($0->c, $1)");
        fixed("hostRank()I", "::pgas_host_rank($0->c)");
        fixed("hostRanks()I", "::pgas_host_ranks($0->c)");
        rank("gridShape()" + DIMS, "pgas_dims {::pgas_grid_shape($0->c)}");
        rank("blockShape()" + DIMS, "pgas_dims {::pgas_block_shape($0->c)}");
        for (String axis : new String[] {"X", "Y", "Z"}) {
            String component = "." + axis.toLowerCase(java.util.Locale.ROOT);
            rank("block" + axis + "()I", "(int) ::pgas_block_index($0->c)" + component);
            rank("thread" + axis + "()I", "(int) ::pgas_thread_index($0->c)" + component);
        }
        rank("sync()V", "pgas_sync_block($0)");
    }

    private static void memory() {
        rank("createWindow(" + COMM + BUFFER + ")I", "::pgas_win_create(pgas_enter($0->c), $1, $2.start, (pgas_u64) $2.bytes)");
        rank("freeWindow(I)V", "::pgas_win_free(pgas_enter($0->c), $1)");
        rank("windowBytes(II)J", "(long long) ::pgas_win_bytes($0->c, $1, $2)");
        rank("part(II)" + BUFFER, "pgas_part($0, $1, $2)");
        rank("sharedBuffer()" + BUFFER, "pgas_shared_buffer($0)");
    }

    /**
     * An operation of the block, and the same of some of its threads.
     *
     * @param count number of its arguments
     */
    private static void grouped(String method, String parameters, String function, int count) {
        StringBuilder arguments = new StringBuilder();
        StringBuilder further = new StringBuilder();
        for (int i = 1; i <= count; i++) {
            arguments.append(", $").append(i);
            further.append(", $").append(i + 1);
        }
        rank(method + "(" + parameters + ")V", function + "($0, PGAS_CALLERS_BLOCK" + arguments + ")");
        rank(method + "(" + CALLERS + parameters + ")V", function + "($0, $1" + further + ")");
    }

    private static void puts() {
        grouped("put", "IIJ" + BUFFER + "J", "pgas_rank_put", 5);
        grouped("putNotify", "IIJ" + BUFFER + "JI", "pgas_rank_put_notify", 6);
        grouped("putSet", "IIJ" + BUFFER + "JJ" + TYPE + "J", "pgas_rank_put_set", 8);
        rank("flush()V", "::pgas_flush(pgas_enter($0->c))");
    }

    private static void requests() {
        rank("preparePut(IIJ" + BUFFER + "J)I", "pgas_rank_put_init($0, $1, $2, $3, $4, $5)");
        rank("preparePutNotify(IIJ" + BUFFER + "JI)I", "pgas_rank_put_notify_init($0, $1, $2, $3, $4, $5, $6)");
        rank("freeRequest(I)V", "::pgas_request_free(pgas_enter($0->c), $1)");
        rank("start(I)V", "::pgas_start(pgas_enter($0->c), $1)");
        rank("testRequest(I)Z", "(int) ::pgas_test_request(pgas_enter($0->c), $1)");
        rank("awaitRequest(I)V", "::pgas_wait_request(pgas_enter($0->c), $1)");
        rank("testAnyRequest([I)I", "::pgas_test_any_request(pgas_enter($0->c), $1.start, $1.length)");
        rank("awaitAnyRequest([I)I", "::pgas_wait_any_request(pgas_enter($0->c), $1.start, $1.length)");
        rank("awaitSomeRequests([I[J)I",
                "::pgas_wait_some_requests(pgas_enter($0->c), $1.start, $1.length, pgas_filled($2, $1.length, cx, $S))");
        rank("awaitAllRequests([I)V", "::pgas_wait_all_requests(pgas_enter($0->c), $1.start, $1.length)");
    }

    private static void gets() {
        grouped("get", "IIJ" + BUFFER + "J", "pgas_rank_get", 5);
        grouped("getNotify", "IIJ" + BUFFER + "JI", "pgas_rank_get_notify", 6);
        grouped("startGet", "IIJ" + BUFFER + "J", "pgas_rank_get_start", 5);
        grouped("awaitGets", "", "pgas_rank_wait_gets", 0);
    }

    private static void words() {
        rank("putValue(IIJ" + TYPE + "J)V", "pgas_rank_p($0, $1, $2, $3, $4, $5)");
        rank("getValue(IIJ" + TYPE + ")J", "pgas_rank_g($0, $1, $2, $3, $4)");
        rank("atomic(IIJ" + TYPE + ATOMIC + "JJ)J", "pgas_rank_atomic($0, $1, $2, $3, $4, $5, $6, $7)");
        rank("atomic(IIJ" + ATOMIC + "J)J", "pgas_rank_atomic($0, $1, $2, $3, PGAS_TYPE_LONG, $4, $5, 0)");
    }

    private static void notifications() {
        grouped("signal", COMM + "II", "pgas_rank_signal", 3);
        rank("notifyHost(II)V", "::pgas_notify_host(pgas_enter($0->c), $1, $2)");
        rank("fence()V", "pgas_rank_fence($0)");
        rank("testNotifications(IJ)Z", "(int) ::pgas_test_notifications(pgas_enter($0->c), $1, (pgas_u64) $2)");
        rank("awaitNotifications(IJ)V", "::pgas_wait_notifications($0->c, $1, (pgas_u64) $2)");
        rank("availableNotifications(I)J", "(long long) ::pgas_available_notifications(pgas_enter($0->c), $1)");
        rank("takeNotifications(I)J", "(long long) ::pgas_take_notifications(pgas_enter($0->c), $1)");
        rank("awaitAnyTag(II)I", "::pgas_wait_any_tag(pgas_enter($0->c), $1, $2)");
        rank("testAnyTag(II)I", "::pgas_test_any_tag(pgas_enter($0->c), $1, $2)");
        rank("awaitSomeTags(II[J)I", "::pgas_wait_some_tags(pgas_enter($0->c), $1, $2, pgas_filled($3, $2, cx, $S))");
        rank("awaitAllTags(IIJ)V", "::pgas_wait_all_tags(pgas_enter($0->c), $1, $2, (pgas_u64) $3)");
    }

    private static void values() {
        String one = "IJ" + TYPE + COMPARISON + "J";
        String many = "IJJ" + TYPE + COMPARISON + "J";
        String ofOne = "pgas_rank_words($0, $1, $2, 1, $3, $4, $5, ";
        String ofMany = "pgas_rank_words($0, $1, $2, $3, $4, $5, $6, ";
        rank("awaitValue(" + one + ")V", ofOne + "1, false, 0)");
        rank("testValue(" + one + ")Z", "(int) (" + ofOne + "1, true, 0).count != 0)");
        rank("awaitAnyValue(" + many + ")J", "(long long) " + ofMany + "1, false, 0).first");
        rank("awaitSomeValues(" + many + "[J)J", "(long long) " + ofMany + "1, false, pgas_filled($7, $3, cx, $S)).count");
        rank("awaitAllValues(" + many + ")V", ofMany + "(pgas_u64) $3, false, 0)");
        rank("testValues(" + many + ")J", "(long long) " + ofMany + "1, true, 0).count");
    }

    private static void rest() {
        rank("barrier(" + COMM + ")V", "::pgas_barrier(pgas_enter($0->c), $1)");
        rank("splitBytes(" + COMM + "J)J", "(long long) ::pgas_split_bytes($0->c, $1, (pgas_u64) $2)");
        rank("split(" + COMM + "II" + BUFFER + ")" + PART,
                "pgas_grid_split {::pgas_split_create(pgas_enter($0->c), $1, $2, $3, $4.start, (pgas_u64) $4.bytes), $0->c}");
        rank("log(Ljava/lang/String;D)V", "::pgas_log(pgas_enter($0->c), $1, $2)");
        rank("printf(Ljava/lang/String;[Ljava/lang/Object;)V", "pgas_rank_printf($0, PGAS_CALLERS_BLOCK, $1)");
        rank("printf(" + CALLERS + "Ljava/lang/String;[Ljava/lang/Object;)V", "pgas_rank_printf($0, $1, $2)");
        rank("startTimer(I)V", "::pgas_timer_start(pgas_enter($0->c), $1)");
        rank("stopTimer(I)V", "::pgas_timer_stop(pgas_enter($0->c), $1)");
        rank("trigger(I)V", "::pgas_trigger(pgas_enter($0->c), $1)");
        rank("leave()V", "$0->left = 1");
    }

    private static void split(String signature, String template) {
        OF_SPLIT.put(signature, new Intrinsic(template, false));
    }

    private static void splits() {
        split("rank()I", "::pgas_split_rank($0.split)");
        split("ranks()I", "::pgas_split_size($0.split)");
        split("member(I)I", "::pgas_split_member($0.split, $1)");
        split("barrier()V", "::pgas_split_barrier(pgas_enter($0.c), $0.split)");
        split("broadcast(I" + BUFFER + ")V",
                "::pgas_broadcast(pgas_enter($0.c), $0.split, $1, $2.start, (pgas_u64) $2.bytes)");
        split("allToAll(" + BUFFER + BUFFER + "J)V", "pgas_split_all_to_all($0, $1, $2, $3)");
        String combined = BUFFER + BUFFER + TYPE + REDUCE + ")V";
        split("reduce(I" + combined, "pgas_split_reduce($0, PGAS_TO_ROOT, $1, $2, $3, $4, $5)");
        split("allReduce(" + combined, "pgas_split_reduce($0, PGAS_TO_ALL, 0, $1, $2, $3, $4)");
        split("scan(" + combined, "pgas_split_reduce($0, PGAS_TO_LATER, 0, $1, $2, $3, $4)");
        split("free()V", "::pgas_split_free(pgas_enter($0.c), $0.split)");
    }

    private static void source(String signature, String template) {
        OF_SOURCES.put(signature, new Intrinsic(template, false));
    }

    private static void sources() {
        rank("sourceBytes(" + COMM + "I)J", "(long long) ::pgas_sources_bytes($0->c, $1, $2)");
        rank("createSourceWindow(" + COMM + BUFFER + "I" + BUFFER + ")" + WINDOW,
                "pgas_grid_sources {::pgas_win_create_sources(pgas_enter($0->c), $1, $2.start, (pgas_u64) $2.bytes, $3, $4.start, "
                + "(pgas_u64) $4.bytes), $0->c}");
        source("window()I", "::pgas_sources_window($0.window)");
        source("putNotify(IJ" + BUFFER + "JI)V", "pgas_sources_put_notify($0, PGAS_CALLERS_BLOCK, $1, $2, $3, $4, $5)");
        source("putNotify(" + CALLERS + "IJ" + BUFFER + "JI)V", "pgas_sources_put_notify($0, $1, $2, $3, $4, $5, $6)");
        source("signal(II)V", "pgas_sources_signal($0, PGAS_CALLERS_BLOCK, $1, $2)");
        source("signal(" + CALLERS + "II)V", "pgas_sources_signal($0, $1, $2, $3)");
        source("available(II)J", "(long long) ::pgas_available_source(pgas_enter($0.c), $0.window, $1, $2)");
        source("test(IIJ)Z", "(int) ::pgas_test_source(pgas_enter($0.c), $0.window, $1, $2, (pgas_u64) $3)");
        source("await(IIJ)V", "::pgas_wait_source(pgas_enter($0.c), $0.window, $1, $2, (pgas_u64) $3)");
        source("awaitAny(I)I", "::pgas_wait_any_source(pgas_enter($0.c), $0.window, $1)");
        source("testAny(I)I", "::pgas_test_any_source(pgas_enter($0.c), $0.window, $1)");
        source("awaitSome(I[J)I", "::pgas_wait_some_sources(pgas_enter($0.c), $0.window, $1, "
                + "pgas_filled($2, pgas_sources_count($0), cx, $S))");
        source("free()V", "::pgas_win_free_sources(pgas_enter($0.c), $0.window)");
    }

    private static void refused(String owner, String advice, String... signatures) {
        for (String signature : signatures) {
            ADVICE.put(owner + "." + signature, advice);
        }
    }

    private static void refusals() {
        String form = "use the form that takes a Buffer";
        refused(RANK, form, "createWindow(" + COMM + SEGMENT + ")I", "put(IIJ" + SEGMENT + "J)V", "putNotify(IIJ" + SEGMENT + "JI)V",
                "get(IIJ" + SEGMENT + "J)V", "getNotify(IIJ" + SEGMENT + "JI)V", "startGet(IIJ" + SEGMENT + "J)V",
                "putSet(IIJ" + SEGMENT + "JJ" + TYPE + "J)V", "split(" + COMM + "II" + SEGMENT + ")" + PART);
        refused(SPLIT, form, "broadcast(I" + SEGMENT + ")V", "allToAll(" + SEGMENT + SEGMENT + "J)V",
                "reduce(I" + SEGMENT + SEGMENT + TYPE + REDUCE + ")V", "allReduce(" + SEGMENT + SEGMENT + TYPE + REDUCE + ")V",
                "scan(" + SEGMENT + SEGMENT + TYPE + REDUCE + ")V");
        refused(RANK, form, "preparePut(IIJ" + SEGMENT + "J)I", "preparePutNotify(IIJ" + SEGMENT + "JI)I");
        refused(RANK, form, "createSourceWindow(" + COMM + SEGMENT + "I" + SEGMENT + ")" + WINDOW);
        refused(SOURCES, form, "putNotify(IJ" + SEGMENT + "JI)V");
        refused(RANK, "use part(window, target), which is a Buffer", "ptr(II)" + SEGMENT);
        refused(RANK, "use sharedBuffer(), or sharedFloats and its kin", "shared()" + SEGMENT);
        refused(RANK, "use blockX(), blockY() and blockZ()", "blockIndex()[I");
    }
}
