package org.pgas4j.testkit.campaign;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.DelayQueue;
import java.util.concurrent.Delayed;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.pgas4j.PgasException;
import org.pgas4j.UsageException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/**
 * Delays, loses and reorders packets, for kernels without such a queue of their own: passes them between tun devices, each in a
 * network namespace, by the last byte of their IPv4 destination. Ends when killed.
 */
@Command(name = "weather",
        description = "A bad network between namespaces: passes packets between tun devices by the last byte of their"
        + " IPv4 destination. Ends when killed.")
public final class Weather implements Callable<Integer> {

    private static final List<String> RULES = List.of("loss", "delay-ms", "jitter-ms", "reorder", "rate");
    private static final int PACKET_BYTES = 65_536;
    private static final int DESTINATION_HOST = 19;
    private static final int IPV4_HEADER_BYTES = 20;
    /** Packets on their way to a host; more are dropped, as by a router. */
    private static final int QUEUE_PACKETS = 1_000;

    private record Packet(byte[] bytes, int host, long dueNs) implements Delayed {

        @Override
        public long getDelay(TimeUnit unit) {
            return unit.convert(dueNs - System.nanoTime(), TimeUnit.NANOSECONDS);
        }

        @Override
        public int compareTo(Delayed other) {
            return Long.compare(dueNs, ((Packet) other).dueNs);
        }
    }

    @Parameters(index = "0", paramLabel = "DEVICE", description = "Name of the tun device in each namespace.")
    private String device;

    @Parameters(index = "1..*", arity = "2..*", paramLabel = "HOST=NAMESPACE|RULE=VALUE", description = {
        "HOST is the last byte of an address, NAMESPACE - the machine's own. Rules:", "loss: share of packets that is dropped",
        "delay-ms, jitter-ms: delay and how much it varies", "reorder: share that is not delayed and so overtakes",
        "rate: bits a second to each host"})
    private Map<String, String> words;

    private final Map<Integer, Integer> devices = new TreeMap<>();
    private final Map<Integer, Long> freeNs = new TreeMap<>();
    private final Map<String, Double> weather = new TreeMap<>();
    private final DelayQueue<Packet> inFlight = new DelayQueue<>();

    @Override
    public Integer call() throws InterruptedException {
        RULES.forEach(rule -> weather.put(rule, 0.0));
        List<Thread> readers = new ArrayList<>();
        for (Map.Entry<String, String> word : words.entrySet()) {
            if (RULES.contains(word.getKey())) {
                weather.put(word.getKey(), Double.parseDouble(word.getValue()));
            } else if (word.getKey().matches("[0-9]{1,3}")) {
                int file = Tun.open(device, word.getValue());
                devices.put(Integer.parseInt(word.getKey()), file);
                readers.add(Thread.ofPlatform().daemon().unstarted(() -> read(file)));
            } else {
                throw new UsageException("unexpected '" + word.getKey() + "' (expected: a host or one of " + RULES + ")");
            }
        }
        readers.forEach(Thread::start);
        System.out.println("weather " + weather + " between " + devices.keySet());
        deliver();
        return 0;
    }

    private void read(int file) {
        MemorySegment buffer = Arena.global().allocate(PACKET_BYTES);
        while (true) {
            int bytes = Tun.read(file, buffer, PACKET_BYTES);
            if (bytes >= IPV4_HEADER_BYTES && buffer.get(ValueLayout.JAVA_BYTE, 0) >> 4 == 4) {
                pass(buffer.asSlice(0, bytes).toArray(ValueLayout.JAVA_BYTE));
            }
        }
    }

    private synchronized void pass(byte[] bytes) {
        int host = bytes[DESTINATION_HOST] & 0xFF;
        ThreadLocalRandom random = ThreadLocalRandom.current();
        if (!devices.containsKey(host) || random.nextDouble() < weather.get("loss")) {
            return;
        }
        long now = System.nanoTime();
        long due = now;
        if (weather.get("rate") > 0) {
            if (inFlight.stream().filter(packet -> packet.host() == host).count() >= QUEUE_PACKETS) {
                return;
            }
            due = Math.max(now, freeNs.getOrDefault(host, now)) + (long) (bytes.length * 8e9 / weather.get("rate"));
            freeNs.put(host, due);
        }
        if (random.nextDouble() >= weather.get("reorder")) {
            due += (long) (1e6 * (weather.get("delay-ms") + weather.get("jitter-ms") * (2 * random.nextDouble() - 1)));
        }
        inFlight.add(new Packet(bytes, host, due));
    }

    private void deliver() throws InterruptedException {
        MemorySegment buffer = Arena.global().allocate(PACKET_BYTES);
        while (true) {
            Packet packet = inFlight.take();
            MemorySegment.copy(packet.bytes(), 0, buffer, ValueLayout.JAVA_BYTE, 0, packet.bytes().length);
            Tun.write(devices.get(packet.host()), buffer, packet.bytes().length);
        }
    }

    /** The kernel's tun devices and namespaces, called through libc. */
    @SuppressWarnings("restricted")
    private static final class Tun {

        private static final int O_RDONLY = 0;
        private static final int O_RDWR = 2;
        private static final int CLONE_NEWNET = 0x4000_0000;
        private static final long TUNSETIFF = 0x4004_54CAL;
        private static final short IFF_TUN_WITHOUT_HEADER = 0x1001;
        private static final long NAME_BYTES = 16;
        private static final long REQUEST_BYTES = 40;
        private static final StructLayout STATE = Linker.Option.captureStateLayout();
        private static final VarHandle ERRNO = STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));
        private static final MethodHandle OPEN = call("open", 2, ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_INT);
        private static final MethodHandle IOCTL = call("ioctl", 2, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT,
                ValueLayout.JAVA_LONG, ValueLayout.ADDRESS);
        private static final MethodHandle SETNS = call("setns", -1, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT,
                ValueLayout.JAVA_INT);
        private static final MethodHandle READ = call("read", -1, ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT,
                ValueLayout.ADDRESS, ValueLayout.JAVA_LONG);
        private static final MethodHandle WRITE = call("write", -1, ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT,
                ValueLayout.ADDRESS, ValueLayout.JAVA_LONG);

        private static MethodHandle call(String name, int firstVariadic, MemoryLayout result, MemoryLayout... arguments) {
            List<Linker.Option> options = new ArrayList<>(List.of(Linker.Option.captureCallState("errno")));
            if (firstVariadic >= 0) {
                options.add(Linker.Option.firstVariadicArg(firstVariadic));
            }
            Linker linker = Linker.nativeLinker();
            return linker.downcallHandle(linker.defaultLookup().find(name).orElseThrow(),
                    FunctionDescriptor.of(result, arguments), options.toArray(Linker.Option[]::new));
        }

        /** Opens an existing device in an existing namespace, by a thread of its own, which stays there. */
        static int open(String device, String namespace) throws InterruptedException {
            int[] file = {-1};
            Thread there = Thread.ofPlatform().start(() -> {
                try (Arena arena = Arena.ofConfined()) {
                    MemorySegment state = arena.allocate(STATE);
                    if (!namespace.equals("-")) {
                        int home = (int) check(state, (int) OPEN.invokeExact(state, arena.allocateFrom("/run/netns/" + namespace),
                                O_RDONLY), "open /run/netns/" + namespace);
                        check(state, (int) SETNS.invokeExact(state, home, CLONE_NEWNET), "setns " + namespace);
                    }
                    int tun = (int) check(state, (int) OPEN.invokeExact(state, arena.allocateFrom("/dev/net/tun"), O_RDWR),
                            "open /dev/net/tun");
                    MemorySegment request = arena.allocate(REQUEST_BYTES, 8);
                    request.setString(0, device);
                    request.set(ValueLayout.JAVA_SHORT, NAME_BYTES, IFF_TUN_WITHOUT_HEADER);
                    check(state, (int) IOCTL.invokeExact(state, tun, TUNSETIFF, request), "attach to " + device);
                    file[0] = tun;
                } catch (Throwable e) {
                    throw new PgasException("weather: " + device + " in " + namespace + ": " + e.getMessage(), e);
                }
            });
            there.join();
            if (file[0] < 0) {
                System.exit(1);
            }
            return file[0];
        }

        private static long check(MemorySegment state, long result, String what) {
            if (result < 0) {
                throw new PgasException(what + " fails with errno " + (int) ERRNO.get(state, 0L));
            }
            return result;
        }

        /** Bytes of the next packet; 0 if there is none because the device is down. */
        static int read(int file, MemorySegment to, long limit) {
            try (Arena arena = Arena.ofConfined()) {
                return (int) Math.max(0, (long) READ.invokeExact(arena.allocate(STATE), file, to, limit));
            } catch (Throwable e) {
                throw new PgasException("weather: read: " + e.getMessage(), e);
            }
        }

        /** A packet that the other end cannot take is lost, as in a network. */
        static void write(int file, MemorySegment from, long bytes) {
            try (Arena arena = Arena.ofConfined()) {
                long written = (long) WRITE.invokeExact(arena.allocate(STATE), file, from, bytes);
                if (written >= 0 && written < bytes) {
                    throw new PgasException("weather: " + written + " of " + bytes + " bytes written");
                }
            } catch (Throwable e) {
                throw new PgasException("weather: write: " + e.getMessage(), e);
            }
        }
    }
}
