package org.pgas4j.runtime.blocks;

import java.lang.foreign.Arena;
import java.util.Arrays;
import org.pgas4j.DeviceMemory;
import org.pgas4j.MemoryKind;
import org.pgas4j.device.Accelerator;
import org.pgas4j.fastpath.protocol.Operation;
import org.pgas4j.fastpath.protocol.Port;
import org.pgas4j.helper.ProgressEngine;

/**
 * Carries out commands of a rank's blocks for ranks of other JVMs, as messages: small ones several at a time. Those take effect in
 * the order given, and after large puts and gets before them. A large transfer comes after small puts before it if it has bytes of
 * theirs; only then does the target hold it, with all that follows from this rank, until its blocks have taken those. As in
 * {@link BlockService}, nothing here waits: what returns false is called again with the same command.
 */
final class BlockMessages {

    /** Work at the rank's port; false if it could not be done yet. */
    @FunctionalInterface
    private interface Step {

        /** @param command null if the work is none of a command */
        boolean take(BlockMessages messages, Port port, Command command, int target);
    }

    private final int team;
    private final BlockLayout layout;
    private final ProgressEngine progress;
    private final Accelerator accelerator;
    private final DeviceMemory memory;
    private final long segmentStart;
    private final HostPage page;
    private final Arena arena;
    private final Runnable arrived;
    private final boolean[] used;
    private final boolean[] unsettled; // small commands were sent to a rank since it was last asked to settle
    private final long[] low; // bytes that small puts may still have to reach, of each rank
    private final long[] high;
    private CommandBatch batch; // made with the first command
    private int batchTarget;
    private boolean started; // the bytes of the command are on their way
    private Operation operation;

    /**
     * @param memory       allocation that holds the device segment
     * @param segmentStart where that begins there
     * @param page         with the bytes of puts beside its queue
     * @param arena        in which the batch is allocated
     * @param arrived      to run when the bytes of a get are there
     */
    BlockMessages(int team, BlockLayout layout, ProgressEngine progress, Accelerator accelerator, DeviceMemory memory,
                  long segmentStart, HostPage page, Arena arena, Runnable arrived) {
        this.team = team;
        this.layout = layout;
        this.progress = progress;
        this.accelerator = accelerator;
        this.memory = memory;
        this.segmentStart = segmentStart;
        this.page = page;
        this.arena = arena;
        this.arrived = arrived;
        this.used = new boolean[layout.hostRanks()];
        this.unsettled = new boolean[layout.hostRanks()];
        this.low = new long[layout.hostRanks()];
        this.high = new long[layout.hostRanks()];
        Arrays.fill(low, Long.MAX_VALUE);
    }

    /** True if something was sent to a rank. */
    boolean isUsed(int target) {
        return used[target];
    }

    /** True if all commands are sent that were given. */
    boolean isEmpty() {
        return batch == null || batch.length() == 0;
    }

    /** Sends what has been collected, if that needs no wait; true if there is nothing left. */
    boolean send() {
        return isEmpty() || atPort((messages, port, _, _) -> messages.send(port), null, 0);
    }

    /** Takes a step with the port; false if that has an owner. Steps capture nothing, so that a command allocates none. */
    private boolean atPort(Step step, Command command, int target) {
        Port port = progress.tryEnter();
        if (port == null) {
            return false;
        }
        try {
            return step.take(this, port, command, target);
        } finally {
            progress.exit();
        }
    }

    private boolean send(Port port) {
        if (!isEmpty()) {
            accelerator.bind();
            if (!port.tryCommand(batchTarget, team, batch.memory(), batch.length())) {
                return false;
            }
            batch.clear();
        }
        return true;
    }

    /** Has targets settle what was sent before what follows, of whatever kind; see {@link CommandBatch#addSettle}. */
    boolean settleAll() {
        Port port = null;
        try {
            for (int target = 0; target < unsettled.length; target++) {
                if (unsettled[target]) {
                    port = port != null ? port : progress.tryEnter();
                    if (port == null || !makeRoom(port, target)) {
                        return false;
                    }
                    batch.addSettle();
                    unsettled[target] = false;
                }
            }
            return port == null ? send() : send(port);
        } finally {
            if (port != null) {
                progress.exit();
            }
        }
    }

    /** Sends what has been collected, so that a transfer comes after it, and after small puts that have some of its bytes. */
    private boolean sendBefore(Port port, Command transfer, int target) {
        if (transfer.offset() < high[target] && low[target] < transfer.offset() + transfer.bytes()) {
            if (!makeRoom(port, target)) {
                return false;
            }
            batch.addOrder();
            low[target] = Long.MAX_VALUE;
            high[target] = 0;
        }
        return send(port);
    }

    /** Makes room for a command. */
    private boolean makeRoom(Port port, int target) {
        used[target] = true;
        if (batch == null) {
            batch = new CommandBatch(arena, port.capacity());
        }
        if ((batchTarget != target || !batch.hasRoom()) && !send(port)) {
            return false;
        }
        batchTarget = target;
        return true;
    }

    /** Puts, notifies, or both. True if it is done, and its source may be used again. */
    boolean put(Command command, int target) {
        boolean small = command.op() != Command.PUT && command.op() != Command.PUT_STAGED;
        return atPort(small ? BlockMessages::add : BlockMessages::putLarge, command, target);
    }

    private boolean add(Port port, Command command, int target) {
        if (!makeRoom(port, target)) {
            return false;
        }
        unsettled[target] = true;
        boolean word = command.op() == Command.WORD;
        int block = word ? 0 : command.target() % layout.perRank();
        if (command.op() == Command.NOTIFY || command.length() == 0) {
            batch.addNotification(block, command.tag());
        } else {
            batch.addPut(block, word ? 0 : command.tag(), command.notifies() ? 1 : 0, command.offset(), command.value(),
                    command.length());
            if (!word) { // the words of barriers are in no buffer
                low[target] = Math.min(low[target], command.offset());
                high[target] = Math.max(high[target], command.offset() + command.length());
            }
        }
        return true;
    }

    private boolean putLarge(Port port, Command command, int target) {
        if (!started) {
            if (!sendBefore(port, command, target)) {
                return false;
            }
            used[target] = true;
            accelerator.bind();
            operation = command.op() == Command.PUT_STAGED
                    ? port.tryPut(target, MemoryKind.DEVICE, command.offset(), page.memory(), null,
                            HostPage.staged(command.value(), command.offset()), command.bytes(), Long.MAX_VALUE)
                    : port.tryPut(target, MemoryKind.DEVICE, command.offset(), null, memory, segmentStart + command.value(),
                            command.bytes(), Long.MAX_VALUE);
            if (operation == null) {
                return false;
            }
            started = true;
        }
        return operation.isComplete() && notified(port, command, target);
    }

    /** Ends a command by its notification, if it has one. */
    private boolean notified(Port port, Command command, int target) {
        if (command.notifies()) {
            if (!makeRoom(port, target)) {
                return false;
            }
            unsettled[target] = true;
            batch.addNotification(command.target() % layout.perRank(), command.tag());
        }
        started = false;
        operation = null;
        return true;
    }

    /** Gets from a rank, and notifies it if the command does. */
    boolean get(Command command, int target) {
        return atPort(BlockMessages::getLarge, command, target);
    }

    private boolean getLarge(Port port, Command command, int target) {
        if (!started) {
            if (!sendBefore(port, command, target)) {
                return false;
            }
            accelerator.bind();
            operation = port.tryGet(target, MemoryKind.DEVICE, command.offset(), memory, segmentStart + command.value(),
                    command.bytes());
            if (operation == null) {
                return false;
            }
            started = true;
        }
        if (operation != null) {
            if (!operation.isComplete()) {
                return false;
            }
            operation = null;
            arrived.run();
        }
        return notified(port, command, target);
    }

    /** Notifies the host code of a rank, once its blocks have the small commands before. */
    boolean notifyHost(Command command, int target) {
        return atPort(BlockMessages::addHost, command, target);
    }

    private boolean addHost(Port port, Command command, int target) {
        if (!makeRoom(port, target)) {
            return false;
        }
        unsettled[target] = true;
        batch.addHostNotification(command.tag());
        return true;
    }
}
