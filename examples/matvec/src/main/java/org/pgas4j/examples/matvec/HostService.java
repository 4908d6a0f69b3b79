package org.pgas4j.examples.matvec;

import org.pgas4j.Backend;
import org.pgas4j.Buffer;
import org.pgas4j.Kernel;
import org.pgas4j.Notifications;
import org.pgas4j.Rank;
import org.pgas4j.UsageException;
import org.pgas4j.Window;

/**
 * Run by the hosts. The client puts a server's share of a batch to the server's device and notifies its host; that launches a
 * kernel, puts the products back and notifies the client. A server's results have a tag of their own, so that a fast one does not
 * count for a slow one.
 */
final class HostService implements Service {

    /** Of requests; results of server s have tag s. */
    private static final int REQUEST = 0;
    private static final int VECTORS_OF_WARP = 4;
    private static final int WARP = 32;

    private static final Kernel MULTIPLY = new Kernel("matvec_multiply", CUDA + """

            extern "C" __global__ void matvec_multiply(const float *a, const float *x, float *y, int vectors, int ofBlock) {
                float row[32];
                matvec_row(a, row);
                const long long first = (long long) blockIdx.x * ofBlock;
                const long long left = vectors - first;
                matvec_products(row, x + 32 * first, y + 32 * first, left < ofBlock ? left : ofBlock);
            }
            """, HostService::multiply);

    private final Rank rank;
    private final Memory memory;
    private final Window window;

    /** Collective. */
    HostService(Rank rank, Memory memory) {
        if (rank.ranks() > Notifications.TAGS) {
            throw new UsageException("more ranks than tags: " + rank.ranks() + " (expected: 2.."
                    + Notifications.TAGS + ")");
        }
        this.rank = rank;
        this.memory = memory;
        this.window = rank.createWindow(rank.world(), memory.targetPointer(), memory.bytes());
    }

    /** A block; on the host device it has one thread. */
    private static void multiply(Kernel.At at, Kernel.Args args) {
        long first = (long) at.block() * args.intAt(4);
        Data.multiply(args.segment(0), args.segment(1), first * Data.SIDE, args.segment(2), first * Data.SIDE,
                Math.min(args.intAt(4), args.intAt(3) - first));
    }

    @Override
    public void run() {
        if (memory.isClient()) {
            send();
        } else {
            serve();
        }
    }

    private void send() {
        Settings settings = memory.settings();
        for (int batch = 0; batch < settings.batches() + settings.depth(); batch++) {
            for (int server = 1; server < rank.ranks(); server++) {
                int first = first(server);
                int count = first(server + 1) - first;
                if (count > 0 && batch >= settings.depth()) {
                    rank.notifications().await(server, 1);
                }
                if (count > 0 && batch < settings.batches()) {
                    window.putNotify(server, at(batch % settings.depth(), first) * Float.BYTES,
                            memory.source().slice(at(batch, first), (long) count * Data.SIDE), REQUEST);
                }
            }
        }
    }

    private void serve() {
        Settings settings = memory.settings();
        int first = first(rank.rank());
        int count = first(rank.rank() + 1) - first;
        int threads = rank.device().backend() == Backend.HOST ? 1 : settings.threads();
        int ofBlock = Math.max(1, settings.threads() / WARP) * VECTORS_OF_WARP;
        for (int batch = 0; batch < settings.batches() && count > 0; batch++) {
            long slot = at(batch % settings.depth(), first);
            Buffer vectors = memory.target().slice(slot, (long) count * Data.SIDE);
            Buffer products = memory.source().slice(slot, (long) count * Data.SIDE);
            rank.notifications().await(REQUEST, 1);
            rank.stream().launch(MULTIPLY, new Kernel.Shape(Math.ceilDiv(count, ofBlock), threads), memory.matrix(), vectors,
                    products, count, ofBlock);
            rank.stream().sync();
            window.putNotify(0, at(batch, first) * Float.BYTES, products, rank.rank());
        }
    }

    /** First vector of a server's share. */
    private int first(int server) {
        return (int) ((long) memory.settings().vectors() * (server - 1) / (rank.ranks() - 1));
    }

    /** Index of a vector's first element. */
    private long at(int batch, int vector) {
        return ((long) batch * memory.settings().vectors() + vector) * Data.SIDE;
    }

    @Override
    public void close() {
        window.close();
    }
}
