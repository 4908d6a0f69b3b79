package org.pgas4j;

/**
 * A shared array as kernels in CUDA C++ have it: an argument, passed as a struct by value, whose declaration {@link #header}
 * gives. Made by {@link Device#view}, for the kernels of that rank, as long as the array is allocated.
 *
 * @param bases   address on the device of a table of the ranks' segments; 0 in it for those out of reach
 * @param offset  of the array in each segment, bytes
 * @param length  elements
 * @param start   of a slice, in the whole array
 * @param block   elements that a rank has in a row; 0: all are on one rank
 * @param skipped elements of this rank in the whole array that are before the slice
 * @param local   elements of this rank
 * @param ranks   number of ranks
 * @param rank    this rank; that of all elements if block is 0
 */
public record ArrayView(long bases, long offset, long length, long start, long block, long skipped, long local, int ranks,
                        int rank) {

    private static final String COMMON = """
            // Elements of a shared array, by their index. An element whose rank this device does not reach is at 0.
            #pragma once

            #ifdef __CUDACC__
            #define PGAS_VIEW_FUNCTION __device__ __forceinline__
            #else
            #define PGAS_VIEW_FUNCTION inline
            #endif

            struct NAME {
                typedef TYPE element;

                char *const *bases;
                long long offset;
                long long size;
                long long start;
                long long block;
                long long skipped;
                long long own;
                int ranks;
                int rank;

                // Number of elements, and of those with affinity to this rank.
                PGAS_VIEW_FUNCTION long long length() const { return size; }
                PGAS_VIEW_FUNCTION long long local_length() const { return own; }

            PLACE
                // This rank's elements, in the order of their indices; 0 if it has none.
                PGAS_VIEW_FUNCTION TYPE *local() const { return own == 0 ? 0 : (TYPE *) (bases[rank] + offset) + skipped; }

                PGAS_VIEW_FUNCTION TYPE *at(long long i) const {
                    char *base = bases[owner(i)];
                    return base == 0 ? 0 : (TYPE *) (base + offset) + place(i);
                }

                PGAS_VIEW_FUNCTION bool reaches(long long i) const { return bases[owner(i)] != 0; }
                PGAS_VIEW_FUNCTION TYPE get(long long i) const { return *at(i); }
                PGAS_VIEW_FUNCTION void put(long long i, TYPE value) const { *at(i) = value; }
            ATOMIC};
            """;

    private static final String ON_ONE_RANK = """
                // The rank that has element i, its place among that rank's, and the index of the k-th of this rank's.
                PGAS_VIEW_FUNCTION int owner(long long) const { return rank; }
                PGAS_VIEW_FUNCTION long long place(long long i) const { return start + i; }
                PGAS_VIEW_FUNCTION long long index(long long k) const { return k; }
            """;

    private static final String CYCLIC = """
                // The rank that has element i, its place among that rank's, and the index of the k-th of this rank's.
                PGAS_VIEW_FUNCTION int owner(long long i) const { return (int) ((start + i) % ranks); }
                PGAS_VIEW_FUNCTION long long place(long long i) const { return (start + i) / ranks; }
                PGAS_VIEW_FUNCTION long long index(long long k) const { return (skipped + k) * ranks + rank - start; }
            """;

    private static final String BLOCKED = """
                // The rank that has element i, its place among that rank's, and the index of the k-th of this rank's.
                PGAS_VIEW_FUNCTION int owner(long long i) const { return (int) ((start + i) / block % ranks); }
                PGAS_VIEW_FUNCTION long long place(long long i) const {
                    return (start + i) / block / ranks * block + (start + i) % block;
                }
                PGAS_VIEW_FUNCTION long long index(long long k) const {
                    return ((skipped + k) / block * ranks + rank) * block + (skipped + k) % block - start;
                }
            """;

    private static final String ADD = """

                // Atomic among the kernels of all devices, on elements in device memory; what was there.
            #ifdef __CUDACC__
                PGAS_VIEW_FUNCTION TYPE add(long long i, TYPE value) const {
                    return (TYPE) atomicAdd_system((WORD *) at(i), (WORD) value);
                }
            #endif
            """;

    private static final String INTEGERS = """
            #ifdef __CUDACC__
                PGAS_VIEW_FUNCTION TYPE min(long long i, TYPE value) const { return atomicMin_system(at(i), value); }
                PGAS_VIEW_FUNCTION TYPE max(long long i, TYPE value) const { return atomicMax_system(at(i), value); }
                PGAS_VIEW_FUNCTION TYPE exchange(long long i, TYPE value) const {
                    return (TYPE) atomicExch_system((WORD *) at(i), (WORD) value);
                }
                PGAS_VIEW_FUNCTION TYPE compare_exchange(long long i, TYPE expected, TYPE value) const {
                    return (TYPE) atomicCAS_system((WORD *) at(i), (WORD) expected, (WORD) value);
                }
            #endif
            """;

    /**
     * Declaration of the struct for arrays of a type and kind of layout, as a header for {@link CudaCode#withHeader}: {@code
     * owner(i)}, {@code place(i)}, {@code at(i)}, {@code reaches(i)}, {@code get(i)} and {@code put(i, value)} by index; {@code
     * local()}, {@code local_length()} and {@code index(k)} for the rank's own elements in the order of its memory; {@code
     * length()}; {@code add} of ints, longs, floats and doubles, {@code min}, {@code max}, {@code exchange} and {@code
     * compare_exchange} of ints and longs, all atomic. Indices are not checked. It depends on the type and on whether elements are
     * on one rank, cyclic or in blocks alone.
     *
     * @param name of the struct, an identifier of C++
     * @throws IllegalArgumentException if elements are records, or it is none
     */
    public static String header(String name, SharedArray array) {
        if (!name.matches("[A-Za-z_][A-Za-z0-9_]*")) {
            throw new IllegalArgumentException("name of the view of " + array + ": '" + name
                    + "' (expected: an identifier of C++)");
        }
        String place = switch (array.layout()) {
            case Layout.OnRank _, Layout.Replicated _ -> ON_ONE_RANK;
            case Layout.Blocked blocked -> blocked.block() == 1 ? CYCLIC : BLOCKED;
            case Layout.Even _ -> BLOCKED;
        };
        return COMMON.replace("PLACE\n", place + "\n").replace("ATOMIC", atomic(array)).replace("TYPE", type(array))
                .replace("WORD", array instanceof SharedLongs ? "unsigned long long" : type(array)).replace("NAME", name);
    }

    private static String atomic(SharedArray array) {
        return switch (array) {
            case SharedInts _, SharedLongs _ -> ADD + INTEGERS;
            case SharedFloats _, SharedDoubles _ -> ADD;
            default -> "";
        };
    }

    private static String type(SharedArray array) {
        return switch (array) {
            case SharedFloats _ -> "float";
            case SharedDoubles _ -> "double";
            case SharedInts _ -> "int";
            case SharedLongs _ -> "long long";
            case SharedBytes _ -> "signed char";
            case SharedShorts _ -> "short";
            case SharedChars _ -> "unsigned short";
            case SharedBooleans _ -> "bool";
            case SharedRecords _ -> throw new IllegalArgumentException("view of " + array
                    + " (expected: elements that are numbers or booleans; pass local() of records, and declare their struct)");
        };
    }
}
