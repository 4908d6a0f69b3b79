package org.pgas4j.examples.halo;

/**
 * A period of {@code kernel}, as its program sees it.
 *
 * @param n         side of the box
 * @param period    number of the period in its run
 * @param packers   parts into which packing and sending is divided
 * @param parts     parts of the interior
 * @param unpackers parts of what needs the neighbours' faces
 */
public record FusedPeriod(int n, int period, int packers, int parts, int unpackers) {

    /** Number of parts in all. */
    public int items() {
        return packers + parts + unpackers;
    }
}
