package org.pgas4j.kernels;

import org.pgas4j.AtomicOp;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.GlobalDoubles;
import org.pgas4j.GlobalFloats;
import org.pgas4j.GlobalInts;
import org.pgas4j.GlobalLongs;
import org.pgas4j.GridRank;
import org.pgas4j.GridSourceWindow;
import org.pgas4j.GridSplit;
import org.pgas4j.ReduceOp;
import org.pgas4j.SharedBytes;
import org.pgas4j.SharedDoubles;
import org.pgas4j.SharedFloats;
import org.pgas4j.SharedInts;
import org.pgas4j.SharedLongs;
import org.pgas4j.SharedShorts;
import org.pgas4j.kernel.KernelThread;

/** Classes whose objects a kernel may use, with the C++ types that stand for them. */
enum KnownType {
    FLOATS(SharedFloats.class, "pgas_array<float>"),
    DOUBLES(SharedDoubles.class, "pgas_array<double>"),
    INTS(SharedInts.class, "pgas_array<int>"),
    LONGS(SharedLongs.class, "pgas_array<long long>"),
    BYTES(SharedBytes.class, "pgas_array<signed char>"),
    SHORTS(SharedShorts.class, "pgas_array<short>"),
    GRID_FLOATS(GlobalFloats.class, "pgas_grid<float>"),
    GRID_DOUBLES(GlobalDoubles.class, "pgas_grid<double>"),
    GRID_INTS(GlobalInts.class, "pgas_grid<int>"),
    GRID_LONGS(GlobalLongs.class, "pgas_grid<long long>"),
    BUFFER(Buffer.class, "pgas_buffer"),
    THREAD(KernelThread.class, "pgas_thread"),
    GRID_RANK(GridRank.class, "pgas_grid_rank"),
    GRID_SPLIT(GridSplit.class, "pgas_grid_split"),
    GRID_SOURCES(GridSourceWindow.class, "pgas_grid_sources"),
    COMM(GridRank.Comm.class, "int"),
    COMPARISON(GridRank.Comparison.class, "int"),
    CALLERS(GridRank.Callers.class, "int"),
    ELEMENT_TYPE(ElementType.class, "int"),
    ATOMIC_OP(AtomicOp.class, "int"),
    REDUCE_OP(ReduceOp.class, "int"),
    LOCAL_FLOATS(float[].class, "pgas_local<float>"),
    LOCAL_DOUBLES(double[].class, "pgas_local<double>"),
    LOCAL_INTS(int[].class, "pgas_local<int>"),
    LOCAL_LONGS(long[].class, "pgas_local<long long>");

    private final Class<?> type;
    private final String cpp;

    KnownType(Class<?> type, String cpp) {
        this.type = type;
        this.cpp = cpp;
    }

    /** The Java class. */
    Class<?> type() {
        return type;
    }

    /** The C++ struct. */
    String cpp() {
        return cpp;
    }

    /** C++ type of an element. */
    String elementCpp() {
        return cpp.substring(cpp.indexOf('<') + 1, cpp.lastIndexOf('>'));
    }

    /** True if values are the struct itself; otherwise they are pointers to it. */
    boolean isValue() {
        return isLocal() || isConstant() || this == BUFFER || this == GRID_SPLIT || this == GRID_SOURCES;
    }

    /** True for arrays of a block or a thread. */
    boolean isLocal() {
        return cpp.startsWith("pgas_local");
    }

    /** True for enums, which are numbers in C++. */
    boolean isConstant() {
        return type.isEnum();
    }

    /** Size of an element of an array. */
    int elementBytes() {
        return cpp.contains("<double>") || cpp.contains("<long long>") ? Long.BYTES
                : cpp.contains("<short>") ? Short.BYTES : cpp.contains("char>") ? 1 : Integer.BYTES;
    }

    /** True if kernels may capture it: it has a meaning beyond a thread. */
    boolean isCaptured() {
        return isMemory() || isConstant();
    }

    /** True for shared and global arrays and buffers. */
    boolean isMemory() {
        return isArray() || isGrid() || this == BUFFER;
    }

    /** True for shared arrays. */
    boolean isArray() {
        return cpp.startsWith("pgas_array");
    }

    /** True for elements of arrays of several dimensions. */
    boolean isGrid() {
        return cpp.startsWith("pgas_grid<");
    }

    /** The known type of a class, or null. */
    static KnownType of(Class<?> type) {
        for (KnownType known : values()) {
            if (known.type == type) {
                return known;
            }
        }
        return null;
    }
}
