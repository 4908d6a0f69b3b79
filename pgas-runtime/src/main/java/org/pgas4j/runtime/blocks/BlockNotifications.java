package org.pgas4j.runtime.blocks;

import org.pgas4j.device.Accelerator;
import org.pgas4j.fastpath.protocol.NotificationSink;
import org.pgas4j.fastpath.protocol.Port;
import org.pgas4j.helper.ProgressEngine;
import org.pgas4j.runtime.notify.BlockNotifier;
import org.pgas4j.space.memory.Segments;

/** Notifies blocks for one rank's services: those of this JVM's ranks through their writers, others by messages. */
public final class BlockNotifications implements BlockNotifier {

    private final BlockDirectory directory;
    private final ProgressEngine progress;
    private final Segments segments;
    private final Accelerator accelerator;

    /**
     * @param directory   of this JVM's blocks
     * @param progress    of the rank
     * @param accelerator of the rank
     */
    public BlockNotifications(BlockDirectory directory, ProgressEngine progress, Segments segments, Accelerator accelerator) {
        this.directory = directory;
        this.progress = progress;
        this.segments = segments;
        this.accelerator = accelerator;
    }

    @Override
    public boolean trySignal(int target, int block, int tag) {
        int team = BlockDirectory.team(block);
        ProxyWriter writer = directory.writer(team, target);
        if (writer != null) {
            return trySignalHere(writer, target, BlockDirectory.block(block), tag);
        }
        return directory.isClosed(team, target) || trySend(target, block, tag);
    }

    private boolean trySignalHere(ProxyWriter writer, int target, int block, int tag) {
        ProxyWriter.Posting posting = writer.tryPost(block, tag, 1);
        if (posting == ProxyWriter.Posting.BY_STREAM) {
            segments.acceleratorOf(target).bind();
            try {
                writer.notifyByStream(block, tag, 1);
            } finally {
                accelerator.bind();
            }
        }
        return posting != ProxyWriter.Posting.LATER;
    }

    private boolean trySend(int target, int block, int tag) {
        Port port = progress.tryEnter();
        if (port == null) {
            return false;
        }
        try {
            return port.trySignal(target, block, tag, NotificationSink.COUNTER, 1);
        } finally {
            progress.exit();
        }
    }
}
