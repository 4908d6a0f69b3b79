package org.pgas4j.space.memory;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.pgas4j.DeviceException;
import org.pgas4j.DeviceMemory;
import org.pgas4j.MemoryKind;
import org.pgas4j.PeerLostException;
import org.pgas4j.SegmentMemoryException;
import org.pgas4j.bootstrap.Bootstrap;
import org.pgas4j.bootstrap.node.NodeDirectory;
import org.pgas4j.bootstrap.node.Nodes;
import org.pgas4j.bootstrap.node.SegmentEntry;
import org.pgas4j.device.Accelerator;
import org.pgas4j.device.DeviceBackend;
import org.pgas4j.device.DeviceHandle;
import org.pgas4j.device.HostRegistration;
import org.pgas4j.fastpath.conduit.Conduit;
import org.pgas4j.fastpath.conduit.Endpoint;
import org.pgas4j.fastpath.conduit.HostSegment;
import org.pgas4j.fastpath.conduit.RankTable;
import org.pgas4j.fastpath.conduit.SegmentAddress;
import org.pgas4j.os.CloseHelper;

/**
 * The segments as one JVM has and reaches them. A host segment is a control area followed by the shared heap; the device
 * segments of a JVM's ranks on one device are one allocation, divided. Thread-safe.
 */
public final class Segments implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger("pgas.memory");

    private final Bootstrap bootstrap;
    private final Nodes nodes;
    private final Conduit conduit;
    private final DeviceBackend backend;
    private final AddressBook addresses;
    private final ControlArea area;
    private final long hostBytes;
    private final long deviceBytes;
    private final int firstRank;
    private final int endRank;
    private final List<RankTable<Endpoint>> endpoints; // of each rank of this JVM
    private final Map<Integer, DeviceMemory> ownDevice = new TreeMap<>();
    private final Map<String, DeviceMemory> imported = new HashMap<>();
    private final Map<Long, HostRegistration> registrations = new HashMap<>();

    /**
     * @param directory   of this node, or null
     * @param hostBytes   shared heap of each rank in host memory, the same on all JVMs
     * @param deviceBytes shared heap of each rank in device memory, the same on all JVMs
     * @param timeoutNs   to learn where another's segments are
     */
    public Segments(Bootstrap bootstrap, Nodes nodes, Conduit conduit, DeviceBackend backend, NodeDirectory directory,
                    ControlArea area, long hostBytes, long deviceBytes, long timeoutNs) {
        this.bootstrap = bootstrap;
        this.nodes = nodes;
        this.conduit = conduit;
        this.backend = backend;
        this.area = area;
        this.hostBytes = hostBytes;
        this.deviceBytes = deviceBytes;
        this.firstRank = bootstrap.firstRank(bootstrap.process());
        this.endRank = bootstrap.firstRank(bootstrap.process() + 1);
        this.addresses = new AddressBook(bootstrap, nodes, directory, timeoutNs);
        this.endpoints = IntStream.range(firstRank, endRank).mapToObj(_ -> new RankTable<Endpoint>(bootstrap.ranks())).toList();
    }

    /**
     * Makes this JVM's segments and waits for the others'; collective over the JVMs.
     *
     * @param key        names the exchange
     * @param generation of the segments, from 1
     * @throws SegmentMemoryException or {@link DeviceException} on every rank, if any JVM could not make its segments
     */
    public void create(String key, long generation, long deadlineNs) {
        List<SegmentEntry> own = new ArrayList<>();
        RuntimeException failure = null;
        try {
            createHost(own, generation);
            createDevice(own, generation);
        } catch (SegmentMemoryException | DeviceException e) {
            failure = e;
        }
        if (failure == null) {
            addresses.open(generation, own);
        }
        byte[] mine = (failure == null ? "" : String.valueOf(failure.getMessage())).getBytes(StandardCharsets.UTF_8);
        byte[][] all = bootstrap.allGather(key, mine, deadlineNs);
        for (int process = 0; process < all.length; process++) {
            if (all[process].length > 0) {
                throw failure != null && process == bootstrap.process() ? failure
                        : new SegmentMemoryException("process " + process + " could not make its segments: "
                        + new String(all[process], StandardCharsets.UTF_8));
            }
        }
    }

    /** Tells the node's directory of this JVM's segments; after {@link #create}, if there is a directory. */
    public void publish() {
        addresses.publish();
    }

    private void createHost(List<SegmentEntry> own, long generation) {
        long pid = ProcessHandle.current().pid();
        long bytes = Math.addExact(area.bytes(), hostBytes);
        for (int rank = firstRank; rank < endRank; rank++) {
            HostSegment segment = conduit.create(rank, "host segment", bytes);
            own.add(new SegmentEntry(rank, MemoryKind.HOST, conduit.name(), 0, segment.address().path(),
                    segment.address().key(), bytes,
                    area.bytes(), hostBytes, generation, pid));
        }
    }

    private void createDevice(List<SegmentEntry> own, long generation) {
        Map<Integer, List<Integer>> ranksOn = new TreeMap<>();
        for (int rank = firstRank; rank < endRank; rank++) {
            ranksOn.computeIfAbsent(ordinalOf(rank), _ -> new ArrayList<>()).add(rank);
        }
        boolean shareable = nodes.processesHere() > 1;
        for (Map.Entry<Integer, List<Integer>> on : ranksOn.entrySet()) {
            Accelerator accelerator = backend.open(on.getKey());
            accelerator.bind();
            if (on.getValue().size() > 1) {
                accelerator.share();
            }
            long bytes = Math.multiplyExact(deviceBytes, (long) on.getValue().size());
            DeviceMemory memory;
            try {
                memory = accelerator.allocate(bytes, shareable);
            } catch (DeviceException e) {
                throw new SegmentMemoryException("device segments of ranks " + on.getValue() + " need " + bytes + " bytes: "
                        + e.getMessage() + "; lower pgas.heap.device", e);
            }
            ownDevice.put(on.getKey(), memory);
            byte[] token = shareable ? accelerator.export(memory).token() : new byte[0];
            for (int i = 0; i < on.getValue().size(); i++) {
                own.add(new SegmentEntry(on.getValue().get(i), MemoryKind.DEVICE, backend.name(), on.getKey(), "", token, bytes,
                        i * deviceBytes, deviceBytes, generation, ProcessHandle.current().pid()));
            }
        }
    }

    /** The device a rank of this node is bound to: runs of its ranks share a device. */
    public int ordinalOf(int rank) {
        int count = backend.count();
        int index = nodes.indexOf(rank);
        return nodes.ranksHere() <= count ? index : (int) ((long) index * count / nodes.ranksHere());
    }

    /** True if ranks of other processes of this node compute on a device. */
    public boolean isDeviceOfOtherProcesses(int ordinal) {
        return IntStream.range(0, bootstrap.ranks())
                .anyMatch(rank -> nodes.isHere(rank) && !isLocal(rank) && ordinalOf(rank) == ordinal);
    }

    /** True if the rank is on this node: its memory can be mapped here. */
    public boolean isOnThisNode(int rank) {
        return nodes.isHere(rank);
    }

    /** The device of a rank of this JVM. */
    public Accelerator acceleratorOf(int rank) {
        return backend.open(ordinalOf(rank));
    }

    /** Address of a segment of a rank of this JVM. */
    public SegmentEntry own(int rank, MemoryKind kind) {
        return addresses.own(rank).of(kind);
    }

    /**
     * Offset of a rank's device segment in its allocation, bytes; queries its JVM at first use.
     *
     * @throws org.pgas4j.PgasTimeoutException if there is no answer in time; names the rank
     */
    public long deviceOffset(int rank) {
        return addresses.find(rank).device().offset();
    }

    /** True if the rank is a thread of this JVM. */
    public boolean isLocal(int rank) {
        return rank >= firstRank && rank < endRank;
    }

    /**
     * The host segment of a rank as rank {@code from} of this JVM reaches it, connected at first use.
     *
     * @throws PeerLostException if it cannot be reached
     */
    public Endpoint endpoint(int from, int rank) {
        Endpoint endpoint = known(from, rank);
        return endpoint != null ? endpoint : reach(from, rank, addresses.find(rank).host());
    }

    private synchronized Endpoint known(int from, int rank) {
        return endpoints.get(from - firstRank).get(rank);
    }

    private synchronized Endpoint reach(int from, int rank, SegmentEntry entry) {
        Endpoint endpoint = known(from, rank);
        if (endpoint == null) {
            endpoint = connect(from, rank, new SegmentAddress(entry.path(), entry.mappedBytes(), entry.token()));
            endpoints.get(from - firstRank).put(rank, endpoint);
        }
        return endpoint;
    }

    /**
     * Connects rank {@code from} of this JVM to further memory of a rank.
     *
     * @throws PeerLostException if it cannot be reached
     */
    public Endpoint connect(int from, int rank, SegmentAddress address) {
        try {
            return conduit.connect(from, rank, address);
        } catch (IOException e) {
            throw new PeerLostException("host memory of rank " + rank + " (" + processOf(rank) + ") cannot be reached by rank "
                    + from + " over " + conduit.name() + ": " + e.getMessage(), e);
        }
    }

    private String processOf(int rank) {
        AddressBook.Addresses known = addresses.known(rank);
        return "process " + (known == null ? "?" : known.host().pid());
    }

    /**
     * The allocation that holds a rank's device segment, as streams of {@code from} can use it; null if they cannot.
     */
    public DeviceMemory deviceMemory(int rank, Accelerator from) {
        return nodes.isHere(rank) ? deviceMemory(rank, from, addresses.find(rank).device()) : null;
    }

    private synchronized DeviceMemory deviceMemory(int rank, Accelerator from, SegmentEntry entry) {
        if (isLocal(rank)) {
            Accelerator owner = backend.open(entry.ordinal());
            if (!from.canReach(owner)) {
                return null;
            }
            from.enableReach(owner);
            return ownDevice.get(entry.ordinal());
        }
        if (!entry.backend().equals(backend.name()) || !from.canImportFrom(entry.ordinal())) {
            return null;
        }
        String key = from.ordinal() + ":" + entry.pid() + ":" + java.util.HexFormat.of().formatHex(entry.token());
        DeviceMemory memory = imported.get(key);
        if (memory == null) {
            try {
                memory = from.importMemory(new DeviceHandle(entry.backend(), entry.ordinal(), entry.mappedBytes(),
                        entry.token()));
            } catch (DeviceException e) {
                LOG.log(isGone(entry, e) ? Level.DEBUG : Level.WARNING, "device segment of rank " + rank + " cannot be mapped by "
                        + from.backend() + ":" + from.ordinal() + ", staging through host memory: " + e.getMessage());
                return null;
            }
            imported.put(key, memory);
        }
        return memory;
    }

    /** True if the owner has ended or closed its memory, of which the next operation with it tells. */
    private static boolean isGone(SegmentEntry entry, DeviceException failure) {
        return failure.getCause() instanceof NoSuchFileException || ProcessHandle.of(entry.pid()).isEmpty();
    }

    /** True if streams and kernels of {@code from} have atomic operations in a rank's device segment, which they reach. */
    public boolean hasAtomics(int rank, Accelerator from) {
        return from.hasAtomics(addresses.find(rank).device().ordinal());
    }

    /** This JVM's own allocation on a device. */
    public DeviceMemory ownDeviceMemory(int ordinal) {
        return ownDevice.get(ordinal);
    }

    /**
     * Registers a mapped host segment with a device once, so that copies between them need no help.
     *
     * @return true if the device reaches the segment by itself
     */
    public boolean register(int from, int rank, Accelerator with) {
        return register(rank, endpoint(from, rank).mapped(), with);
    }

    private synchronized boolean register(int rank, MemorySegment mapped, Accelerator with) {
        return mapped != null && registrations.computeIfAbsent((long) rank, _ -> with.register(mapped)).effective();
    }

    /** Ranks of this JVM. */
    public int firstRank() {
        return firstRank;
    }

    /** End of the ranks of this JVM. */
    public int endRank() {
        return endRank;
    }

    /** Heap bytes of every rank's segment of a kind. */
    public long heapBytes(MemoryKind kind) {
        return kind == MemoryKind.HOST ? hostBytes : deviceBytes;
    }

    /** The control area before every host heap. */
    public ControlArea area() {
        return area;
    }

    /** Unmaps and frees everything; nothing may be in flight. All are closed; the first failure is thrown. */
    @Override
    public synchronized void close() {
        List<AutoCloseable> all = new ArrayList<>(registrations.values());
        all.addAll(imported.values());
        all.addAll(ownDevice.values());
        all.add(conduit);
        registrations.clear();
        imported.clear();
        ownDevice.clear();
        CloseHelper.closeAll(all);
    }
}
