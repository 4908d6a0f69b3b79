package org.pgas4j.runtime.transfer;

/** How bytes get from a rank's own memory to a segment and back. */
public enum Route {
    /** Source and target belong to the rank. */
    LOCAL("local", "copy inside the rank's memory"),
    /** Both in host memory of one node. */
    DIRECT_HOST("direct-host", "copy into the mapped segment"),
    /** A device is involved and the rank's device reaches both ends. */
    DIRECT_DEVICE("direct-device", "copy by the rank's device, straight between the ends"),
    /** Both in host memory, reached over the conduit. */
    RDMA("rdma", "put and get of the conduit between registered segments"),
    /** By messages, small: the chunk rings of the pair. */
    FASTPATH("fastpath", "through the pair's chunk rings; the owner, or a helper for it, does its half"),
    /** By messages, large: pieces through registered temporaries. */
    RENDEZVOUS("rendezvous", "in pieces through registered memory, both copies at once; the owner or a helper moves them");

    private final String label;
    private final String how;

    Route(String label, String how) {
        this.label = label;
        this.how = how;
    }

    /** Name in tables and results. */
    public String label() {
        return label;
    }

    /** One line for people. */
    public String how() {
        return how;
    }
}
