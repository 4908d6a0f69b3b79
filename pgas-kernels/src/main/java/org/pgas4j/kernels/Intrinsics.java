package org.pgas4j.kernels;

import java.util.HashMap;
import java.util.Map;

/** The methods of the JDK and of this project that kernels have in C++. Other static methods are translated themselves. */
final class Intrinsics {

    /** Values of the numbers of a thread in its block, in its warp and of its warp. */
    static final Map<String, IntRange> THREAD_NUMBERS = Map.of("pgas_thread_index()", new IntRange(0, LoopRun.MAX_THREADS - 1),
            "(pgas_thread_index() & 31)", new IntRange(0, 31), "(pgas_thread_index() >> 5)", new IntRange(0, 31));

    private static final Map<String, Intrinsic> STATIC = new HashMap<>();
    private static final Map<String, Intrinsic> OF_ARRAY = new HashMap<>();
    private static final Map<String, Intrinsic> OF_BUFFER = new HashMap<>();
    private static final Map<String, Intrinsic> OF_THREAD = new HashMap<>();

    static {
        mathematics();
        bits();
        arrays();
        buffers();
        threads();
    }

    private Intrinsics() {
    }

    /** The static method of a class, or null. */
    static Intrinsic of(String owner, String signature) {
        return STATIC.get(owner + "." + signature);
    }

    /** The method of an object, or null. */
    static Intrinsic of(KnownType type, String signature) {
        return switch (type) {
            case BUFFER -> OF_BUFFER.get(signature);
            case GRID_RANK -> BlockIntrinsics.ofRank(signature, OF_THREAD.get(signature));
            case GRID_SPLIT -> BlockIntrinsics.ofSplit(signature);
            case GRID_SOURCES -> BlockIntrinsics.ofSources(signature);
            case GRID_FLOATS, GRID_DOUBLES, GRID_INTS, GRID_LONGS -> GridIntrinsics.of(signature);
            default -> (type.isArray() ? OF_ARRAY : OF_THREAD).get(signature);
        };
    }

    private static void pure(String signature, String template) {
        STATIC.put(signature, new Intrinsic(template, true));
    }

    private static void mathematics() {
        for (String type : new String[] {"java/lang/Math.", "java/lang/StrictMath."}) {
            for (String function : new String[] {"sqrt", "cbrt", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh",
                "exp", "expm1", "log", "log10", "log1p", "floor", "ceil", "rint"}) {
                pure(type + function + "(D)D", function + "($0)");
            }
            for (String function : new String[] {"atan2", "pow", "hypot"}) {
                pure(type + function + "(DD)D", function + "($0, $1)");
            }
            pure(type + "fma(DDD)D", "fma($0, $1, $2)");
            pure(type + "fma(FFF)F", "fmaf($0, $1, $2)");
            pure(type + "abs(D)D", "fabs($0)");
            pure(type + "abs(F)F", "fabsf($0)");
            for (String kind : new String[] {"F", "D"}) {
                pure(type + "min(" + kind + kind + ")" + kind, "pgas_min($0, $1)");
                pure(type + "max(" + kind + kind + ")" + kind, "pgas_max($0, $1)");
            }
            pure(type + "multiplyHigh(JJ)J", "pgas_multiply_high($0, $1)");
            pure(type + "unsignedMultiplyHigh(JJ)J", "pgas_unsigned_multiply_high($0, $1)");
        }
    }

    private static void bits() {
        pure("java/lang/Float.floatToRawIntBits(F)I", "pgas_bits($0)");
        pure("java/lang/Float.intBitsToFloat(I)F", "pgas_float_of($0)");
        pure("java/lang/Double.doubleToRawLongBits(D)J", "pgas_bits($0)");
        pure("java/lang/Double.longBitsToDouble(J)D", "pgas_double_of($0)");
        pure("java/lang/Integer.bitCount(I)I", "pgas_bit_count($0)");
        pure("java/lang/Long.bitCount(J)I", "pgas_bit_count($0)");
        pure("java/lang/Integer.numberOfLeadingZeros(I)I", "pgas_leading_zeros($0)");
        pure("java/lang/Long.numberOfLeadingZeros(J)I", "pgas_leading_zeros($0)");
        for (String fence : new String[] {"fullFence", "acquireFence", "releaseFence"}) {
            STATIC.put("java/lang/invoke/VarHandle." + fence + "()V", new Intrinsic("pgas_fence_all()", false));
        }
        STATIC.put("java/util/Objects.checkIndex(II)I", new Intrinsic("(int) pgas_check_index($0, $1, cx, $S)", false));
        STATIC.put("java/util/Objects.checkIndex(JJ)J", new Intrinsic("pgas_check_index($0, $1, cx, $S)", false));
    }

    private static void arrays() {
        for (String kind : new String[] {"B", "S", "I", "J", "F", "D"}) {
            OF_ARRAY.put("get(J)" + kind, new Intrinsic("*pgas_at($0, $1, cx, $S)", false));
            OF_ARRAY.put("put(J" + kind + ")V", new Intrinsic("*pgas_at($0, $1, cx, $S) = $2", false));
            OF_ARRAY.put("getAndAdd(J" + kind + ")" + kind, new Intrinsic("pgas_fetch_add(pgas_at($0, $1, cx, $S), $2)", false));
            OF_ARRAY.put("addTo(J" + kind + ")V", new Intrinsic("pgas_add_to(pgas_at($0, $1, cx, $S), $2)", false));
        }
        OF_ARRAY.put("length()J", new Intrinsic("$0->length", true));
        OF_ARRAY.put("rankOf(J)I", new Intrinsic("pgas_rank_of($0, $1, cx, $S)", false));
    }

    private static void buffers() {
        Map.of("Byte", "B signed char", "Short", "S short", "Int", "I int", "Long", "J long long", "Float", "F float",
                "Double", "D double").forEach((name, types) -> {
                    String kind = types.substring(0, 1);
                    String place = "pgas_in<" + types.substring(2) + ">($0, $1, cx, $S)";
                    OF_BUFFER.put("get" + name + "(J)" + kind, new Intrinsic("*" + place, false));
                    OF_BUFFER.put("put" + name + "(J" + kind + ")V", new Intrinsic("*" + place + " = $2", false));
                    OF_BUFFER.put("getAndAdd" + name + "(J" + kind + ")" + kind,
                            new Intrinsic("pgas_fetch_add(" + place + ", $2)", false));
                });
        OF_BUFFER.put("bytes()J", new Intrinsic("$0->bytes", true));
        OF_BUFFER.put("length()J", new Intrinsic("$0->length", true));
        OF_BUFFER.put("slice(JJ)Lorg/pgas4j/Buffer;", new Intrinsic("pgas_slice($0, $1, $2, cx, $S)", false));
    }

    private static void threads() {
        OF_THREAD.put("block()J", new Intrinsic("pgas_block()", true));
        OF_THREAD.put("blocks()J", new Intrinsic("pgas_blocks()", true));
        OF_THREAD.put("thread()I", new Intrinsic("pgas_thread_index()", true));
        OF_THREAD.put("threads()I", new Intrinsic("pgas_threads()", true));
        OF_THREAD.put("global()J", new Intrinsic("(pgas_block() * pgas_threads() + pgas_thread_index())", true));
        OF_THREAD.put("globals()J", new Intrinsic("(pgas_blocks() * pgas_threads())", true));
        OF_THREAD.put("printf(Ljava/lang/String;[Ljava/lang/Object;)V", new Intrinsic(Intrinsic.PRINT + "cx, $1)", false));
        OF_THREAD.put("sync()V", new Intrinsic("pgas_sync_threads()", false));
        warps();
    }

    private static void warps() {
        OF_THREAD.put("lane()I", new Intrinsic("(pgas_thread_index() & 31)", true));
        OF_THREAD.put("warp()I", new Intrinsic("(pgas_thread_index() >> 5)", true));
        OF_THREAD.put("lanes()I", new Intrinsic("pgas_lanes()", true));
        OF_THREAD.put("fromLane(JI)J", new Intrinsic("pgas_shuffle($1, $2)", false));
        OF_THREAD.put("fromThread(JI)J", new Intrinsic("pgas_from_thread($1, $2)", false));
        OF_THREAD.put("ballot(Z)I", new Intrinsic("pgas_ballot($1)", false));
        for (String kind : new String[] {"I", "J", "F", "D"}) {
            String type = "(" + kind + "I)" + kind;
            OF_THREAD.put("shuffle" + type, new Intrinsic("pgas_shuffle($1, $2)", false));
            OF_THREAD.put("shuffleUp" + type, new Intrinsic("pgas_shuffle_up($1, $2)", false));
            OF_THREAD.put("shuffleDown" + type, new Intrinsic("pgas_shuffle_down($1, $2)", false));
            OF_THREAD.put("shuffleXor" + type, new Intrinsic("pgas_shuffle($1, (pgas_thread_index() & 31) ^ $2)", false));
            for (String operation : new String[] {"Sum", "Min", "Max"}) {
                String combined = "_all($1, PGAS_REDUCE_" + operation.toUpperCase(java.util.Locale.ROOT) + ")";
                OF_THREAD.put("warp" + operation + "(" + kind + ")" + kind, new Intrinsic("pgas_warp" + combined, false));
                OF_THREAD.put("block" + operation + "(" + kind + ")" + kind, new Intrinsic("pgas_block" + combined, false));
            }
            for (String scope : new String[] {"warp", "block"}) {
                OF_THREAD.put(scope + "Reduce(Lorg/pgas4j/kernel/BlockReduction;" + kind + ")" + kind,
                        new Intrinsic("pgas_" + scope + "_all($2, $1)", false));
            }
            blockAtomic("getAndAdd", kind, "pgas_block_add");
            OF_THREAD.put("atomic([" + kind + "ILorg/pgas4j/kernel/AtomicOperation;" + kind + ")" + kind,
                    new Intrinsic("pgas_block_atomic(pgas_element($1, $2, cx, $S), $3, $4)", false));
        }
        for (String kind : new String[] {"I", "J"}) {
            blockAtomic("getAndSet", kind, "pgas_block_set");
            blockAtomic("getAndMin", kind, "pgas_block_min");
            blockAtomic("getAndMax", kind, "pgas_block_max");
            OF_THREAD.put("compareAndExchange([" + kind + "I" + kind + kind + ")" + kind,
                    new Intrinsic("pgas_block_exchange(pgas_element($1, $2, cx, $S), $3, $4)", false));
        }
    }

    private static void blockAtomic(String method, String kind, String function) {
        OF_THREAD.put(method + "([" + kind + "I" + kind + ")" + kind,
                new Intrinsic(function + "(pgas_element($1, $2, cx, $S), $3)", false));
    }
}
