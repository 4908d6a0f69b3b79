// Atomic operations on one word of the memory of this or of another device, among all devices: scope system, relaxed.
// Codes of operations and types are defined by AtomicWords.java.

#define PGAS_ATOMIC static __device__ __forceinline__
#define PGAS_ATOMIC_TRIES 0xffffffffu

PGAS_ATOMIC float pgas_atomic_smaller(float a, float b) {
    return a != a || a < b ? a : b;
}

PGAS_ATOMIC double pgas_atomic_smaller(double a, double b) {
    return a != a || a < b ? a : b;
}

PGAS_ATOMIC float pgas_atomic_larger(float a, float b) {
    return a != a || a > b ? a : b;
}

PGAS_ATOMIC double pgas_atomic_larger(double a, double b) {
    return a != a || a > b ? a : b;
}

// New bits of a word for operations that the hardware has not by itself.
PGAS_ATOMIC unsigned int pgas_atomic_next(int op, int type, unsigned int old, unsigned int operand) {
    if (type == PGAS_ATOMIC_INT) {
        return old * operand;
    }
    float a = __uint_as_float(old), b = __uint_as_float(operand);
    float v = op == PGAS_ATOMIC_MULTIPLY ? a * b
            : op == PGAS_ATOMIC_MIN ? pgas_atomic_smaller(a, b) : pgas_atomic_larger(a, b);
    return __float_as_uint(v);
}

PGAS_ATOMIC unsigned long long pgas_atomic_next(int op, int type, unsigned long long old, unsigned long long operand) {
    if (type == PGAS_ATOMIC_LONG) {
        return old * operand;
    }
    double a = __longlong_as_double((long long) old), b = __longlong_as_double((long long) operand);
    double v = op == PGAS_ATOMIC_MULTIPLY ? a * b
            : op == PGAS_ATOMIC_MIN ? pgas_atomic_smaller(a, b) : pgas_atomic_larger(a, b);
    return (unsigned long long) __double_as_longlong(v);
}

// Repeats until no other thread came between. Each round that fails lets another thread's succeed, so the count ends a
// broken device only.
template <typename T> PGAS_ATOMIC T pgas_atomic_repeat(T *word, int op, int type, T operand) {
    T old = *(volatile T *) word;
    for (unsigned int i = 0; i < PGAS_ATOMIC_TRIES; i++) {
        T seen = atomicCAS_system(word, old, pgas_atomic_next(op, type, old, operand));
        if (seen == old) {
            return old;
        }
        old = seen;
    }
    asm volatile("trap;");
    return old;
}

template <typename T, typename S>
PGAS_ATOMIC T pgas_atomic_integer(T *word, int op, T operand, T comparand) {
    switch (op) {
        case PGAS_ATOMIC_GET:
            return atomicAdd_system(word, (T) 0);
        case PGAS_ATOMIC_SET:
        case PGAS_ATOMIC_SWAP:
            return atomicExch_system(word, operand);
        case PGAS_ATOMIC_COMPARE_SWAP:
            return atomicCAS_system(word, comparand, operand);
        case PGAS_ATOMIC_ADD:
            return atomicAdd_system(word, operand);
        case PGAS_ATOMIC_MIN:
            return (T) atomicMin_system((S *) word, (S) operand);
        case PGAS_ATOMIC_MAX:
            return (T) atomicMax_system((S *) word, (S) operand);
        case PGAS_ATOMIC_UNSIGNED_MIN:
            return atomicMin_system(word, operand);
        case PGAS_ATOMIC_UNSIGNED_MAX:
            return atomicMax_system(word, operand);
        case PGAS_ATOMIC_AND:
            return atomicAnd_system(word, operand);
        case PGAS_ATOMIC_OR:
            return atomicOr_system(word, operand);
        default:
            return atomicXor_system(word, operand);
    }
}

// Performs an operation on a word whose type and values are bits; returns the bits that were there.
PGAS_ATOMIC unsigned long long pgas_atomic_bits(void *word, int op, int type, unsigned long long operand,
                                                unsigned long long comparand) {
    bool alike = op <= PGAS_ATOMIC_COMPARE_SWAP;  // the same for all types of a size
    bool loops = op == PGAS_ATOMIC_MULTIPLY;
    unsigned int *word32 = (unsigned int *) word;
    unsigned long long *word64 = (unsigned long long *) word;
    switch (type) {
        case PGAS_ATOMIC_INT:
            return (unsigned long long) (long long) (int) (loops
                    ? pgas_atomic_repeat(word32, op, type, (unsigned int) operand)
                    : pgas_atomic_integer<unsigned int, int>(word32, op, (unsigned int) operand, (unsigned int) comparand));
        case PGAS_ATOMIC_LONG:
            return loops ? pgas_atomic_repeat(word64, op, type, operand)
                         : pgas_atomic_integer<unsigned long long, long long>(word64, op, operand, comparand);
        case PGAS_ATOMIC_FLOAT:
            return (unsigned long long) (long long) (int) (alike
                    ? pgas_atomic_integer<unsigned int, int>(word32, op, (unsigned int) operand, (unsigned int) comparand)
                    : op == PGAS_ATOMIC_ADD
                    ? __float_as_uint(atomicAdd_system((float *) word, __uint_as_float((unsigned int) operand)))
                    : pgas_atomic_repeat(word32, op, type, (unsigned int) operand));
        default:
            return alike ? pgas_atomic_integer<unsigned long long, long long>(word64, op, operand, comparand)
                    : op == PGAS_ATOMIC_ADD
                    ? (unsigned long long) __double_as_longlong(
                            atomicAdd_system((double *) word, __longlong_as_double((long long) operand)))
                    : pgas_atomic_repeat(word64, op, type, operand);
    }
}
