package org.pgas4j.os;

import java.io.File;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Sets the time after which the kernel closes a TCP connection whose peer acknowledges nothing: {@code
 * TCP_USER_TIMEOUT}, which java.net lacks, on a socket whose descriptor java.net does not expose. The socket is found
 * by its two addresses. Thread-safe.
 */
public final class TcpTimeout {

    private static final int IPPROTO_TCP = 6;
    private static final int TCP_USER_TIMEOUT = 18;
    private static final int AF_INET = 2;
    private static final int AF_INET6 = 10;
    private static final int ADDRESS_BYTES = 28;
    private static final int GUESSES = 16;
    private static final ValueLayout.OfShort PORT = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final FunctionDescriptor NAME = FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT,
            ValueLayout.ADDRESS, ValueLayout.ADDRESS);

    private static final MethodHandle GETSOCKNAME = Libc.plain("getsockname", NAME);
    private static final MethodHandle GETPEERNAME = Libc.plain("getpeername", NAME);
    private static final MethodHandle SETSOCKOPT = Libc.plain("setsockopt", FunctionDescriptor.of(ValueLayout.JAVA_INT,
            ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_INT));

    private static volatile int last; // a later connection usually has a higher descriptor

    private TcpTimeout() {
    }

    /**
     * Sets the time on a connection of this process, which must stay open meanwhile.
     *
     * @return false if there is no such connection or the kernel refuses
     */
    public static boolean set(InetSocketAddress local, InetSocketAddress remote, int ms) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment address = arena.allocate(ADDRESS_BYTES, Integer.BYTES);
            MemorySegment length = arena.allocate(ValueLayout.JAVA_INT);
            int fd = find(local, remote, address, length);
            if (fd < 0) {
                return false;
            }
            last = fd;
            MemorySegment value = arena.allocateFrom(ValueLayout.JAVA_INT, ms);
            return (int) SETSOCKOPT.invokeExact(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, value, Integer.BYTES) == 0;
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException("setsockopt(TCP_USER_TIMEOUT) of " + local + " to " + remote, e);
        }
    }

    private static int find(InetSocketAddress local, InetSocketAddress remote, MemorySegment address, MemorySegment length)
            throws Throwable {
        int first = last + 1;
        for (int fd = first; fd < first + GUESSES; fd++) {
            if (joins(fd, local, remote, address, length)) {
                return fd;
            }
        }
        String[] all = new File("/proc/self/fd").list();
        for (int i = 0; all != null && i < all.length; i++) {
            int fd = Integer.parseInt(all[i]);
            if (joins(fd, local, remote, address, length)) {
                return fd;
            }
        }
        return -1;
    }

    private static boolean joins(int fd, InetSocketAddress local, InetSocketAddress remote, MemorySegment address,
                                 MemorySegment length) throws Throwable {
        length.set(ValueLayout.JAVA_INT, 0, ADDRESS_BYTES);
        if ((int) GETSOCKNAME.invokeExact(fd, address, length) != 0 || !isAddress(address, local)) {
            return false;
        }
        length.set(ValueLayout.JAVA_INT, 0, ADDRESS_BYTES);
        return (int) GETPEERNAME.invokeExact(fd, address, length) == 0 && isAddress(address, remote);
    }

    /** Compares addresses; an IPv6 socket has an IPv4 address in the last four of its sixteen bytes. */
    private static boolean isAddress(MemorySegment address, InetSocketAddress wanted) {
        int family = address.get(ValueLayout.JAVA_SHORT, 0);
        boolean plain = family == AF_INET;
        if (!plain && family != AF_INET6 || Short.toUnsignedInt(address.get(PORT, Short.BYTES)) != wanted.getPort()) {
            return false;
        }
        byte[] bytes = wanted.getAddress().getAddress();
        boolean four = wanted.getAddress() instanceof Inet4Address;
        long at = plain ? 4 : four ? 20 : 8;
        return (four || !plain) && Arrays.equals(bytes, address.asSlice(at, bytes.length).toArray(ValueLayout.JAVA_BYTE));
    }
}
