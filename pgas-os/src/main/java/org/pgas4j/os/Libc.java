package org.pgas4j.os;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.LongPredicate;

/**
 * Calls libc, as the only class. Each call throws {@link LibcException} with the call, its arguments and the system's
 * error text. Numbers are those of Linux on x86-64.
 */
public final class Libc {

    /** A libc call failed. */
    public static final class LibcException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        private final int errno;

        LibcException(String call, int errno) {
            super(call + ": " + errorText(errno) + " (errno " + errno + ")");
            this.errno = errno;
        }

        public int errno() {
            return errno;
        }
    }

    public static final int ENOMEM = 12;
    public static final int ENOSPC = 28;

    private static final int MFD_CLOEXEC = 1;
    private static final int MFD_ALLOW_SEALING = 2;
    private static final int F_ADD_SEALS = 1033;
    private static final int F_SEAL_SEAL = 1;
    private static final int F_SEAL_SHRINK = 2;
    private static final int F_SEAL_GROW = 4;
    private static final int PR_SET_PDEATHSIG = 1;
    private static final int CPU_SET_BYTES = 128;
    private static final int PROT_READ_WRITE = 3;
    private static final int RTLD_NOW = 2;
    private static final int O_RDONLY_CLOEXEC = 0x80000;
    private static final int POSIX_FADV_WILLNEED = 3;
    private static final int MAP_PRIVATE_ANONYMOUS = 0x22;
    private static final int MAP_SHARED_FIXED = 0x11;

    private static final Linker LINKER = Linker.nativeLinker();
    private static final StructLayout CAPTURE = Linker.Option.captureStateLayout();
    private static final long ERRNO = CAPTURE.byteOffset(MemoryLayout.PathElement.groupElement("errno"));
    private static final int ARGUMENTS = 6;

    /**
     * Handle for any function of libc. To link one takes a JVM ten milliseconds and more, so there is one shape for
     * all: integers and addresses are passed in six registers, and functions with fewer parameters ignore the rest.
     */
    private static final MethodHandle CALL = link();

    private Libc() {
    }

    /** Makes an anonymous memory file of {@code bytes} bytes, all of them reserved, that cannot be resized. */
    static int memfd(String name, long bytes) {
        try (Arena arena = Arena.ofConfined()) {
            int fd = call("memfd_create", "(" + name + ")", arena.allocateFrom(name).address(),
                    MFD_CLOEXEC | MFD_ALLOW_SEALING);
            boolean success = false;
            try {
                call("fallocate", "(" + name + ", " + bytes + " bytes)", fd, 0, 0, bytes);
                call("fcntl", "(" + name + ", F_ADD_SEALS)", fd, F_ADD_SEALS,
                        F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW);
                success = true;
                return fd;
            } finally {
                if (!success) {
                    close(fd);
                }
            }
        }
    }

    static void close(int fd) {
        call("close", "(" + fd + ")", fd);
    }

    /**
     * Maps anonymous private memory, page-aligned, unmapped when {@code arena} closes. Unlike those of
     * {@link Arena#allocate(long)}, its pages are allocated, zeroed, at the first touch.
     *
     * @throws LibcException {@link #ENOMEM} if the address space or the system's commit limit is too small
     */
    @SuppressWarnings("restricted")
    public static MemorySegment mapPrivate(long bytes, Arena arena) {
        long address = invoke("mmap", "(" + bytes + " bytes)", result -> result == -1, 0, bytes, PROT_READ_WRITE,
                MAP_PRIVATE_ANONYMOUS, -1, 0);
        return MemorySegment.ofAddress(address).reinterpret(bytes, arena,
                memory -> call("munmap", "(" + bytes + " bytes)", memory.address(), bytes));
    }

    /** Maps a memory file in place of what is mapped at an address, the start of a page. */
    static void mapSharedAt(long address, long bytes, int fd) {
        invoke("mmap", "(" + bytes + " bytes of a memory file)", result -> result == -1, address, bytes, PROT_READ_WRITE,
                MAP_SHARED_FIXED, fd, 0);
    }

    /** Binds the calling thread to these processors. */
    public static void bindThread(int... cpus) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment mask = arena.allocate(CPU_SET_BYTES, Long.BYTES);
            for (int cpu : cpus) {
                setBit(mask, cpu);
            }
            call("sched_setaffinity", "(processors " + Arrays.toString(cpus) + ")", 0, CPU_SET_BYTES, mask.address());
        }
    }

    /** The processors the calling thread may run on, ascending. */
    public static int[] allowedCpus() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment mask = arena.allocate(CPU_SET_BYTES, Long.BYTES);
            call("sched_getaffinity", "", 0, CPU_SET_BYTES, mask.address());
            return java.util.stream.IntStream.range(0, CPU_SET_BYTES * Byte.SIZE)
                    .filter(cpu -> (mask.get(ValueLayout.JAVA_BYTE, cpu / Byte.SIZE) >> cpu % Byte.SIZE & 1) != 0)
                    .toArray();
        }
    }

    private static void setBit(MemorySegment mask, int cpu) {
        if (cpu < 0 || cpu >= CPU_SET_BYTES * Byte.SIZE) {
            throw new IllegalArgumentException("cpu: " + cpu + " (expected: 0.." + (CPU_SET_BYTES * Byte.SIZE - 1)
                    + ")");
        }
        byte old = mask.get(ValueLayout.JAVA_BYTE, cpu / Byte.SIZE);
        mask.set(ValueLayout.JAVA_BYTE, cpu / Byte.SIZE, (byte) (old | 1 << cpu % Byte.SIZE));
    }

    /** Makes the kernel send {@code signal} to this process when the thread that started it ends. */
    public static void signalOnParentDeath(int signal) {
        call("prctl", "(PR_SET_PDEATHSIG)", PR_SET_PDEATHSIG, signal);
    }

    /** Sends a signal. */
    public static void signal(long pid, int signal) {
        call("kill", "(" + pid + ", " + signal + ")", pid, signal);
    }

    /** Process id of the parent. */
    public static int parentPid() {
        return call("getppid", "");
    }

    /**
     * Sets a variable in the environment that native libraries see; {@link System#getenv} does not. Not while another
     * thread may read it.
     *
     * @param replace true to replace an existing variable
     */
    public static void setEnvironment(String name, String value, boolean replace) {
        try (Arena arena = Arena.ofConfined()) {
            call("setenv", "(" + name + ")", arena.allocateFrom(name).address(), arena.allocateFrom(value).address(),
                    replace ? 1 : 0);
        }
    }

    /**
     * Has a file read into the page cache, and does not wait for it. What is there already costs nothing.
     *
     * @throws LibcException if it cannot be opened; names it
     */
    public static void readAhead(Path file) {
        try (Arena arena = Arena.ofConfined()) {
            int fd = call("open", "(" + file + ")", arena.allocateFrom(file.toString()).address(), O_RDONLY_CLOEXEC);
            try {
                call("posix_fadvise", "(" + file + ")", fd, 0, 0, POSIX_FADV_WILLNEED);
            } finally {
                close(fd);
            }
        }
    }

    /**
     * Loads a shared library and leaves it loaded; {@link java.lang.foreign.SymbolLookup} gives no reason for a
     * failure.
     *
     * @return the error of the dynamic linker, or empty if the library is loaded
     */
    public static Optional<String> loadLibrary(String name) {
        MemorySegment why = symbol("dlerror"); // to look it up later would forget the error
        try (Arena arena = Arena.ofConfined()) {
            if (invoke("dlopen", "(" + name + ")", _ -> false, arena.allocateFrom(name).address(), RTLD_NOW) != 0) {
                return Optional.empty();
            }
            long text = invoke(why, "dlerror", _ -> false);
            return Optional.of(text == 0 ? name + ": not loadable" : string(text));
        }
    }

    private static int call(String function, String what, long... arguments) {
        return (int) invoke(function, what, result -> (int) result < 0, arguments);
    }

    /** Calls a function and returns its result; of an int, only the lower half of that is defined. */
    private static long invoke(String function, String what, LongPredicate failed, long... arguments) {
        return invoke(symbol(function), function + what, failed, arguments);
    }

    private static long invoke(MemorySegment symbol, String call, LongPredicate failed, long... arguments) {
        long[] all = Arrays.copyOf(arguments, ARGUMENTS);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(CAPTURE);
            long result = (long) CALL.invokeExact(symbol, state, all[0], all[1], all[2], all[3], all[4], all[5]);
            if (failed.test(result)) {
                throw new LibcException(call, state.get(ValueLayout.JAVA_INT, ERRNO));
            }
            return result;
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(call, e);
        }
    }

    private static String errorText(int errno) {
        return string(invoke("strerror", "(" + errno + ")", _ -> false, errno));
    }

    @SuppressWarnings("restricted")
    private static String string(long address) {
        return MemorySegment.ofAddress(address).reinterpret(Long.MAX_VALUE).getString(0);
    }

    /** Handle for one function, for callers that call it often and need its result only. */
    @SuppressWarnings("restricted")
    static MethodHandle plain(String function, FunctionDescriptor descriptor) {
        return LINKER.downcallHandle(symbol(function), descriptor);
    }

    private static MemorySegment symbol(String function) {
        return LINKER.defaultLookup().find(function).orElseThrow(() -> new UnsupportedOperationException(
                "libc has no " + function + "; this system needs Linux with glibc"));
    }

    @SuppressWarnings("restricted")
    private static MethodHandle link() {
        MemoryLayout[] arguments = new MemoryLayout[ARGUMENTS];
        Arrays.fill(arguments, ValueLayout.JAVA_LONG);
        return LINKER.downcallHandle(FunctionDescriptor.of(ValueLayout.JAVA_LONG, arguments),
                Linker.Option.captureCallState("errno"));
    }
}
