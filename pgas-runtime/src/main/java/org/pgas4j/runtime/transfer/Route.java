package org.pgas4j.runtime.transfer;

/** How bytes get from a rank's own memory to a segment and back. */
public enum Route {
    /** Source and target belong to the rank. */
    LOCAL("local", "copy inside the rank's memory"),
    /** Both in host memory of one node. */
    DIRECT_HOST("direct-host", "copy into the mapped segment"),
    /** A device is involved and the rank's device reaches both ends. */
    DIRECT_DEVICE("direct-device", "copy by the rank's device, straight between the ends"),
    /** A device is involved that the rank's device cannot reach. */
    STAGED("staged", "through host memory, in pieces; the owner's process does its half");

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
