package org.pgas4j.space;

import java.util.ArrayList;
import java.util.List;
import org.pgas4j.fastpath.protocol.PortOptions;
import org.pgas4j.fastpath.ring.RingLayout;
import org.pgas4j.helper.HelperOptions;
import org.pgas4j.helper.ProgressEngine;
import org.pgas4j.space.message.PairService;
import org.pgas4j.space.message.Ports;

/** The ports of {@link PlainRanks}, without helpers: nothing moves but by calls of the test. */
public final class PlainPorts implements AutoCloseable {

    private static final PortOptions OPTIONS = new PortOptions(new RingLayout(1024, 16), 1024, 2, 1 << 20, 0);

    private final PlainRanks all;
    private final List<Ports> ports = new ArrayList<>();

    public PlainPorts(PlainRanks all) {
        this.all = all;
        for (int rank = 0; rank < all.count(); rank++) {
            FakeBootstrap bootstrap = all.bootstrap(rank);
            if (bootstrap.process() == ports.size()) {
                Ports made = new Ports(bootstrap, all.conduit(), all.segments(rank), OPTIONS,
                        new HelperOptions("off", 0, false, 0, "park", List.of(), false), PlainRanks.LONG_NS,
                        of -> all.waiter(of, PlainRanks.LONG_NS), (of, failure) -> {
                            throw new AssertionError("rank " + of, failure);
                        });
                bootstrap.serve(PairService.SERVICE, made.service()::answer);
                ports.add(made);
            }
        }
    }

    /** Of a rank's process. */
    public Ports of(int rank) {
        return ports.get(all.bootstrap(rank).process());
    }

    public ProgressEngine engine(int rank) {
        return of(rank).engine(rank);
    }

    /** Serves every rank until nothing is left that can be done at once. */
    public void pollAll() {
        boolean any = true;
        while (any) {
            any = false;
            for (int rank = 0; rank < all.count(); rank++) {
                any |= engine(rank).serveAll();
            }
        }
    }

    @Override
    public void close() {
        ports.forEach(Ports::close);
    }
}
