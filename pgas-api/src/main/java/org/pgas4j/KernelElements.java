package org.pgas4j;

/**
 * Elements of a shared array as a thread of a kernel on the host device finds them. It keeps the run of elements that the last
 * access was in, so that an access to the same run is a comparison, and one to the rank's next block needs no division. For one
 * thread.
 */
final class KernelElements {

    private final SharedArray array;
    private final long[] addresses;
    private final SharedArray.Place place;
    private final boolean isDealt; // else all elements are in one run
    private final long block;
    private final long stride;     // from a block to the rank's next one, elements
    private final long advance;    // of the origin with such a step
    private long first;            // of the run; its block may begin before the array or end behind it
    private long begin;
    private long count;            // 0 before the first access
    private long origin;           // address that index 0 would have in the run

    /** @param addresses of the segments by rank, 0 for those out of reach */
    KernelElements(SharedArray array, long[] addresses) {
        this.array = array;
        this.addresses = addresses;
        this.place = array.place();
        this.block = place.block();
        this.isDealt = block > 0 && place.ranks() > 1;
        this.stride = block > Long.MAX_VALUE / place.ranks() ? Long.MAX_VALUE : block * place.ranks();
        this.advance = (block - stride) * array.elementBytes();
        long own = isDealt ? array.firstOn(place.rank()) : Math.min(0, place.length() - 1);
        if (own >= 0 && addresses[rankOfRun(own)] != 0) {
            locate(own); // a loop over one run then never finds another, and the JIT compiler leaves that out
        }
    }

    private int rankOfRun(long index) {
        return isDealt ? (int) ((place.start() + index) / block % place.ranks()) : block > 0 ? 0 : place.rank();
    }

    /**
     * Address of an element.
     *
     * @param bytes of an element
     * @throws IndexOutOfBoundsException if the array has no such element
     * @throws DeviceException           if its memory is out of reach
     */
    long address(long index, int bytes) {
        long in = index - begin;
        if (in < 0 || in >= count) {
            find(index);
        }
        return origin + index * bytes;
    }

    private void find(long index) {
        if (index < 0 || index >= place.length()) {
            throw array.outOfBounds(index);
        }
        long ahead = index - first - stride;
        if (isDealt && count > 0 && ahead >= 0 && ahead < block) {
            first += stride;
            origin += advance;
            bound(block);
        } else {
            locate(index);
        }
    }

    private void locate(long index) {
        long bytes = array.elementBytes();
        if (!isDealt) {
            move(index, 0, Long.MAX_VALUE, place.start() * bytes);
            return;
        }
        long number = (place.start() + index) / block;
        long row = number / place.ranks();
        long from = number * block - place.start();
        move(index, from, block, (row * block - from) * bytes);
    }

    /** @param at offset from the array's start that index 0 would have in the run */
    private void move(long index, long from, long elements, long at) {
        int rank = rankOfRun(index);
        if (addresses[rank] == 0) {
            throw array.outOfReach(index, rank);
        }
        first = from;
        origin = addresses[rank] + place.offset() + at;
        bound(elements);
    }

    /** The part of the run that is in the array. */
    private void bound(long elements) {
        begin = Math.max(0, first);
        count = Math.min(place.length() - begin, elements - (begin - first));
    }
}
