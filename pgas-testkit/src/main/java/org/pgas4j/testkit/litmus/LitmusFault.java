package org.pgas4j.testkit.litmus;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.concurrent.locks.LockSupport;
import org.pgas4j.Atomics;
import org.pgas4j.Buffer;
import org.pgas4j.Completion;
import org.pgas4j.Rank;
import org.pgas4j.Rma;
import org.pgas4j.SharedPointer;
import org.pgas4j.StalePointerException;
import org.pgas4j.Strided;

/** A rank that does something wrong now and then, for tests of the litmus programs: they must notice. */
public enum LitmusFault {
    /** A put does nothing. */
    PUT_LOST,
    /** A put takes effect some time after the next. */
    PUT_LATE,
    /** A put writes one byte too many. */
    PUT_LONG,
    /** A get leaves the last byte as it was. */
    GET_SHORT,
    /** A get reads one byte before the place it was given. */
    GET_BESIDE,
    /** Setting bytes sets one byte too many. */
    SET_LONG,
    /** A put of pieces moves the first one only. */
    PIECES_LOST,
    /** A fetch-add does not add. */
    ADD_LOST,
    /** An accumulate adds twice. */
    ACCUMULATED_TWICE;

    private static final int EVERY = 61;
    /** Of calls that are not many. */
    private static final int EVERY_RARE = 5;
    private static final long LATE_NS = 20_000;
    /** Result of a call that was made, or left out, and returns nothing. */
    private static final Object DONE = new Object();

    /** The same rank with this fault in some of its calls. */
    public Rank in(Rank rank) {
        Faulty faulty = new Faulty(rank);
        Rma rma = proxy(Rma.class, rank.rma(), faulty::changed);
        Atomics atomics = proxy(Atomics.class, rank.atomics(), faulty::changed);
        return proxy(Rank.class, rank, (name, args) -> switch (name) {
            case "rma" -> rma;
            case "atomics" -> atomics;
            default -> args != null && args.length == 3 && faulty.handled(name, args) ? DONE : null;
        });
    }

    /** Takes calls over; null for those that it leaves alone. */
    @FunctionalInterface
    private interface Fault {
        Object call(String method, Object[] args);
    }

    private static <T> T proxy(Class<T> type, T real, Fault fault) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (_, method, args) -> {
            Object result = fault.call(method.getName(), args);
            if (result != null) {
                return result == DONE ? null : result;
            }
            try {
                return method.invoke(real, args);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        }));
    }

    private final class Faulty {
        private final Rank rank;
        private int calls;
        private Runnable late;

        Faulty(Rank rank) {
            this.rank = rank;
        }

        /** True if the call was made, or left out, here. */
        boolean handled(String method, Object[] args) {
            long bytes = (long) args[2];
            return switch (method) {
                case "memput" -> put((SharedPointer) args[0], (MemorySegment) args[1], bytes);
                case "memget" -> get((MemorySegment) args[0], (SharedPointer) args[1], bytes);
                case "memset" -> set((SharedPointer) args[0], (int) args[1], bytes);
                default -> false;
            };
        }

        /** Result of a call of another kind that was made here; null if it was not. */
        Object changed(String method, Object[] args) {
            boolean mine = switch (LitmusFault.this) {
                case PIECES_LOST -> method.equals("put") && args[2] instanceof Strided;
                case ADD_LOST -> method.equals("fetchAdd");
                case ACCUMULATED_TWICE -> method.equals("accumulate");
                default -> false;
            };
            if (!mine || ++calls % EVERY_RARE != 0) {
                return null;
            }
            return switch (LitmusFault.this) {
                case PIECES_LOST -> rank.rma().put((SharedPointer) args[0], (Buffer) args[1],
                        Strided.contiguous(((Strided) args[2]).run()), (Completion) args[3]);
                case ADD_LOST -> rank.atomics().fetchAdd((SharedPointer) args[0], 0);
                default -> {
                    rank.rma().accumulate((SharedPointer) args[0], (Buffer) args[1], (double) args[2], Completion.LOCAL);
                    yield null;
                }
            };
        }

        /** False if the library refuses the call, at the ends of an allocation: not for the programs to notice. */
        private static boolean taken(Runnable call) {
            try {
                call.run();
                return true;
            } catch (IndexOutOfBoundsException | StalePointerException _) {
                return false;
            }
        }

        private boolean put(SharedPointer dst, MemorySegment src, long bytes) {
            Runnable held = late;
            if (held != null) {
                late = null;
                rank.memput(dst, src, bytes);
                LockSupport.parkNanos(LATE_NS);
                taken(held); // if its memory has been freed, it is lost, which is a fault too
                return true;
            }
            if (bytes == 0 || ++calls % EVERY != 0) {
                return false;
            }
            switch (LitmusFault.this) {
                case PUT_LOST -> {
                    return true;
                }
                case PUT_LATE -> {
                    MemorySegment copy = Arena.ofAuto().allocate(bytes, Long.BYTES);
                    MemorySegment.copy(src, 0, copy, 0, bytes);
                    late = () -> rank.memput(dst, copy, bytes);
                    return true;
                }
                case PUT_LONG -> {
                    if (bytes < src.byteSize()) {
                        return taken(() -> rank.memput(dst, src, bytes + 1));
                    }
                    return false;
                }
                default -> {
                    return false;
                }
            }
        }

        private boolean set(SharedPointer dst, int value, long bytes) {
            if (LitmusFault.this != SET_LONG || bytes == 0 || ++calls % EVERY != 0) {
                return false;
            }
            return taken(() -> rank.memset(dst, value, bytes + 1));
        }

        private boolean get(MemorySegment dst, SharedPointer src, long bytes) {
            if (bytes == 0 || ++calls % EVERY != 0) {
                return false;
            }
            switch (LitmusFault.this) {
                case GET_SHORT -> {
                    rank.memget(dst, src, bytes - 1);
                    return true;
                }
                case GET_BESIDE -> {
                    if (src.addrField() == 0) {
                        return false;
                    }
                    return taken(() -> rank.memget(dst, src.cast(0, 1).minus(1), bytes));
                }
                default -> {
                    return false;
                }
            }
        }
    }
}
