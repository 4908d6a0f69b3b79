package org.pgas4j.examples.matvec;

import org.pgas4j.Buffer;
import org.pgas4j.Notifications;
import org.pgas4j.Rank;
import org.pgas4j.UsageException;
import org.pgas4j.Window;
import org.pgas4j.examples.matvec.Matvec.MatvecCase;
import org.pgas4j.kernel.FastMath;
import org.pgas4j.kernel.ThreadKernel;

/**
 * Run by the hosts. The client puts a server's share of a batch to the server's device and notifies its host; that launches a
 * kernel, puts the products back and notifies the client. A server's results have a tag of their own, so that a fast one does not
 * count for a slow one.
 */
final class HostMatvec extends MatvecService {

    /** Of requests; results of server s have tag s. */
    private static final int REQUEST = 0;
    private static final int VECTORS_OF_WARP = 4;
    private static final int WARP = 32;

    private final Window window;

    /** Collective. */
    HostMatvec(Rank rank, MatvecCase of) {
        super(rank, of);
        if (rank.ranks() > Notifications.TAGS) {
            throw new UsageException("more ranks than tags: " + rank.ranks() + " (expected: 2.."
                    + Notifications.TAGS + ")");
        }
        this.window = rank.createWindow(rank.world(), target, bytes());
    }

    /** The kernel: {@code ofBlock} vectors for each block. As in {@link BlockMatvec}, all numbers are whole. */
    private static ThreadKernel multiply(Buffer matrix, Buffer vectors, Buffer products, int ofBlock) {
        long all = vectors.length() / Products.SIDE;
        return (ThreadKernel & FastMath) self -> {
            long first = self.block() * ofBlock;
            long count = Math.min(all - first, ofBlock);
            Products.multiply(self, matrix, vectors, products, first, count);
        };
    }

    @Override
    public void run() {
        if (isClient()) {
            send();
        } else {
            serve();
        }
    }

    private void send() {
        for (int batch = 0; batch < of.batches() + of.depth(); batch++) {
            for (int server = 1; server < rank.ranks(); server++) {
                int first = first(server);
                int count = first(server + 1) - first;
                if (count > 0 && batch >= of.depth()) {
                    rank.notifications().await(server, 1);
                }
                if (count > 0 && batch < of.batches()) {
                    window.putNotify(server, at(batch % of.depth(), first) * Float.BYTES,
                            source().slice(at(batch, first), (long) count * Products.SIDE), REQUEST);
                }
            }
        }
    }

    private void serve() {
        int first = first(rank.rank());
        int count = first(rank.rank() + 1) - first;
        int ofBlock = Math.max(1, of.runs().threads() / WARP) * VECTORS_OF_WARP;
        for (int batch = 0; batch < of.batches() && count > 0; batch++) {
            long slot = at(batch % of.depth(), first);
            Buffer vectors = target().slice(slot, (long) count * Products.SIDE);
            Buffer products = source().slice(slot, (long) count * Products.SIDE);
            rank.notifications().await(REQUEST, 1);
            rank.stream().launch(rank.device().blockShape(Math.ceilDiv(count, ofBlock), of.runs().threads()),
                    multiply(matrix, vectors, products, ofBlock));
            rank.stream().sync();
            window.putNotify(0, at(batch, first) * Float.BYTES, products, rank.rank());
        }
    }

    /** First vector of a server's share. */
    private int first(int server) {
        return (int) ((long) of.vectors() * (server - 1) / (rank.ranks() - 1));
    }

    /** Index of a vector's first element. */
    private long at(int batch, int vector) {
        return ((long) batch * of.vectors() + vector) * Products.SIDE;
    }

    @Override
    public void close() {
        window.close();
        super.close();
    }
}
