package org.pgas4j.device.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.util.Optional;

/**
 * The one door to libc. Each call throws {@link LibcException} with the call, its arguments and the system's error
 * text. Numbers are those of Linux on x86-64.
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
    private static final int MAP_PRIVATE_ANONYMOUS = 0x22;

    private static final Linker LINKER = Linker.nativeLinker();
    private static final StructLayout CAPTURE = Linker.Option.captureStateLayout();
    private static final VarHandle ERRNO = CAPTURE.varHandle(MemoryLayout.PathElement.groupElement("errno"));

    private static final MethodHandle MEMFD_CREATE = find("memfd_create", ValueLayout.JAVA_INT, ValueLayout.ADDRESS,
            ValueLayout.JAVA_INT);
    private static final MethodHandle FALLOCATE = find("fallocate", ValueLayout.JAVA_INT, ValueLayout.JAVA_INT,
            ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG);
    private static final MethodHandle FCNTL = find("fcntl", ValueLayout.JAVA_INT, ValueLayout.JAVA_INT,
            ValueLayout.JAVA_INT, ValueLayout.JAVA_INT);
    private static final MethodHandle CLOSE = find("close", ValueLayout.JAVA_INT, ValueLayout.JAVA_INT);
    private static final MethodHandle MMAP = find("mmap", ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG,
            ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT,
            ValueLayout.JAVA_LONG);
    private static final MethodHandle MUNMAP = find("munmap", ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG,
            ValueLayout.JAVA_LONG);
    private static final MethodHandle SCHED_SETAFFINITY = find("sched_setaffinity", ValueLayout.JAVA_INT,
            ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.ADDRESS);
    private static final MethodHandle SCHED_GETAFFINITY = find("sched_getaffinity", ValueLayout.JAVA_INT,
            ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.ADDRESS);
    private static final MethodHandle PRCTL = find("prctl", ValueLayout.JAVA_INT, ValueLayout.JAVA_INT,
            ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG);
    private static final MethodHandle GETPPID = find("getppid", ValueLayout.JAVA_INT);
    private static final MethodHandle SETENV = find("setenv", ValueLayout.JAVA_INT, ValueLayout.ADDRESS,
            ValueLayout.ADDRESS, ValueLayout.JAVA_INT);
    private static final MethodHandle DLOPEN = plain("dlopen", FunctionDescriptor.of(ValueLayout.ADDRESS,
            ValueLayout.ADDRESS, ValueLayout.JAVA_INT));
    private static final MethodHandle DLERROR = plain("dlerror", FunctionDescriptor.of(ValueLayout.ADDRESS));
    private static final MethodHandle STRERROR = plain("strerror", FunctionDescriptor.of(ValueLayout.ADDRESS,
            ValueLayout.JAVA_INT));

    private Libc() {
    }

    /** Makes an anonymous memory file of {@code bytes} bytes, all of them reserved, that nobody can resize again. */
    static int memfd(String name, long bytes) {
        try (Arena arena = Arena.ofConfined()) {
            int fd = call("memfd_create(" + name + ")", MEMFD_CREATE, arena.allocateFrom(name),
                    MFD_CLOEXEC | MFD_ALLOW_SEALING);
            boolean success = false;
            try {
                call("fallocate(" + name + ", " + bytes + " bytes)", FALLOCATE, fd, 0, 0L, bytes);
                call("fcntl(" + name + ", F_ADD_SEALS)", FCNTL, fd, F_ADD_SEALS,
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
        call("close(" + fd + ")", CLOSE, fd);
    }

    /**
     * Anonymous private memory, page-aligned, unmapped when {@code arena} closes. Its pages come, zeroed, at the first
     * touch, which is what sets it apart from {@link Arena#allocate(long)}.
     *
     * @throws LibcException {@link #ENOMEM} if the address space or the system's commit limit is too small
     */
    @SuppressWarnings("restricted")
    public static MemorySegment mapPrivate(long bytes, Arena arena) {
        long address = invoke("mmap(" + bytes + " bytes)", MMAP, 0L, bytes, PROT_READ_WRITE, MAP_PRIVATE_ANONYMOUS, -1,
                0L).longValue();
        return MemorySegment.ofAddress(address).reinterpret(bytes, arena,
                memory -> call("munmap(" + bytes + " bytes)", MUNMAP, memory.address(), bytes));
    }

    /** Binds the calling thread to one processor. */
    public static void bindThread(int cpu) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment mask = arena.allocate(CPU_SET_BYTES, Long.BYTES);
            setBit(mask, cpu);
            call("sched_setaffinity(cpu " + cpu + ")", SCHED_SETAFFINITY, 0, (long) CPU_SET_BYTES, mask);
        }
    }

    /** The processors the calling thread may run on, ascending. */
    public static int[] allowedCpus() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment mask = arena.allocate(CPU_SET_BYTES, Long.BYTES);
            call("sched_getaffinity", SCHED_GETAFFINITY, 0, (long) CPU_SET_BYTES, mask);
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

    /** Lets the kernel send {@code signal} to this process when the thread that started it ends. */
    public static void signalOnParentDeath(int signal) {
        call("prctl(PR_SET_PDEATHSIG)", PRCTL, PR_SET_PDEATHSIG, (long) signal, 0L, 0L, 0L);
    }

    /** Sends a signal. */
    public static void signal(long pid, int signal) {
        call("kill(" + pid + ", " + signal + ")", Kill.HANDLE, (int) pid, signal);
    }

    /** Looked up when it is needed: in few processes. */
    private static final class Kill {

        private static final MethodHandle HANDLE = find("kill", ValueLayout.JAVA_INT, ValueLayout.JAVA_INT,
                ValueLayout.JAVA_INT);
    }

    /** Process id of the parent. */
    public static int parentPid() {
        return call("getppid", GETPPID);
    }

    /**
     * Sets a variable in the environment that native libraries see; {@link System#getenv} does not. Not while another
     * thread may read it.
     *
     * @param replace whether to do it if there is one already
     */
    public static void setEnvironment(String name, String value, boolean replace) {
        try (Arena arena = Arena.ofConfined()) {
            call("setenv(" + name + ")", SETENV, arena.allocateFrom(name), arena.allocateFrom(value), replace ? 1 : 0);
        }
    }

    /**
     * Loads a shared library and leaves it loaded; {@link java.lang.foreign.SymbolLookup} does not tell why it cannot.
     *
     * @return what the dynamic linker says is wrong, or empty if it is loaded
     */
    public static Optional<String> loadLibrary(String name) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment library = (MemorySegment) DLOPEN.invokeExact(arena.allocateFrom(name), RTLD_NOW);
            if (library.address() != 0) {
                return Optional.empty();
            }
            MemorySegment text = (MemorySegment) DLERROR.invokeExact();
            return Optional.of(text.address() == 0 ? name + ": not loadable" : unbounded(text).getString(0));
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException("dlopen(" + name + ")", e);
        }
    }

    private static int call(String what, MethodHandle handle, Object... arguments) {
        return invoke(what, handle, arguments).intValue();
    }

    private static Number invoke(String what, MethodHandle handle, Object... arguments) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(CAPTURE);
            Object[] all = new Object[arguments.length + 1];
            all[0] = state;
            System.arraycopy(arguments, 0, all, 1, arguments.length);
            Number result = (Number) handle.invokeWithArguments(all);
            if (result.longValue() < 0) {
                throw new LibcException(what, (int) ERRNO.get(state, 0L));
            }
            return result;
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(what, e);
        }
    }

    private static String errorText(int errno) {
        try {
            MemorySegment text = (MemorySegment) STRERROR.invokeExact(errno);
            return unbounded(text).getString(0);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException("strerror", e);
        }
    }

    @SuppressWarnings("restricted")
    private static MemorySegment unbounded(MemorySegment text) {
        return text.reinterpret(Long.MAX_VALUE);
    }

    private static MethodHandle find(String name, MemoryLayout result, MemoryLayout... arguments) {
        return downcall(name, FunctionDescriptor.of(result, arguments), Linker.Option.captureCallState("errno"));
    }

    static MethodHandle plain(String name, FunctionDescriptor descriptor) {
        return downcall(name, descriptor);
    }

    @SuppressWarnings("restricted")
    private static MethodHandle downcall(String name, FunctionDescriptor descriptor, Linker.Option... options) {
        MemorySegment symbol = LINKER.defaultLookup().find(name).orElseThrow(() ->
                new UnsupportedOperationException("libc has no " + name + "; this system needs Linux with glibc"));
        return LINKER.downcallHandle(symbol, descriptor, options);
    }
}
