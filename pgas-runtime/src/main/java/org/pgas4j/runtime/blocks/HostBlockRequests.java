package org.pgas4j.runtime.blocks;

import java.lang.foreign.MemorySegment;

/** Prepared puts of a block of the host device. Used by the block's thread. */
final class HostBlockRequests {

    /** A put whose place has been found. */
    private static final class Request {

        private final int window;
        private final int to; // block of the world
        private final long place;
        private final MemorySegment src;
        private final long bytes;
        private final int tag;
        private boolean started; // and not waited for
        private long done;       // puts by the host of which this is the last

        Request(int window, int to, long place, MemorySegment src, long bytes, int tag) {
            this.window = window;
            this.to = to;
            this.place = place;
            this.src = src;
            this.bytes = bytes;
            this.tag = tag;
        }
    }

    private final HostBlock block;
    private final HostBlockWaits waits;
    private final HostBlockCommands host;
    private final Request[] requests = new Request[BlockLayout.REQUESTS];

    HostBlockRequests(HostBlock block, HostBlockWaits waits, HostBlockCommands host) {
        this.block = block;
        this.waits = waits;
        this.host = host;
    }

    /** Returns its number. {@code tag}: negative for a put without a notification. */
    int prepare(int window, int target, long offset, MemorySegment src, long bytes, int tag) {
        int number = 0;
        while (number < requests.length && requests[number] != null) {
            number++;
        }
        if (number == requests.length) {
            throw waits.fail(BlockFailure.MANY_REQUESTS, -1, requests.length, 0);
        }
        long place = block.windows().place(window, target, offset, bytes);
        if (bytes > src.byteSize()) {
            waits.window(window);
            throw waits.fail(BlockFailure.SHORT_SOURCE, target, bytes, src.byteSize());
        }
        requests[number] = new Request(window, block.worldRank(HostBlockWindows.comm(window), target), place, src, bytes, tag);
        return number;
    }

    private Request request(int number) {
        waits.requireOperations();
        if (number < 0 || number >= requests.length || requests[number] == null) {
            throw waits.fail(BlockFailure.NO_REQUEST, number, requests.length, 0);
        }
        return requests[number];
    }

    void free(int number) {
        request(number);
        requests[number] = null;
    }

    void start(int number) {
        Request request = request(number);
        if (request.started) {
            throw waits.fail(BlockFailure.STARTED, number, 0, 0);
        }
        block.windows().require(request.window);
        long given = host.given();
        block.putPlaced(request.to, request.place, request.src, request.bytes, request.tag);
        request.started = true;
        request.done = host.given() == given ? host.flushed() : host.given();
    }

    private int count(int[] numbers, boolean ended) {
        long flushed = host.flushed();
        int count = 0;
        for (int number : numbers) {
            Request request = request(number);
            count += request.started && (!ended || flushed - request.done >= 0) ? 1 : 0;
        }
        return count;
    }

    /**
     * Requests that have ended may be started again.
     *
     * @param indices receives those of the ended ones; its length is their largest number
     * @return their number
     */
    private int end(int[] numbers, long[] indices) {
        long flushed = host.flushed();
        int ended = 0;
        for (int i = 0; i < numbers.length && ended < indices.length; i++) {
            Request request = request(numbers[i]);
            if (request.started && flushed - request.done >= 0) {
                request.started = false;
                indices[ended++] = i;
            }
        }
        return ended;
    }

    private void await(int[] numbers, int enough) {
        waits.await(BlockFailure.LATE_FLUSH, -1, enough, () -> count(numbers, true));
    }

    private int endOne(int[] numbers) {
        long[] first = new long[1];
        return end(numbers, first) == 0 ? -1 : (int) first[0];
    }

    boolean testAll(int... numbers) {
        boolean ended = count(numbers, true) == count(numbers, false);
        if (ended) {
            end(numbers, new long[numbers.length]);
        } else {
            waits.looked();
        }
        return ended;
    }

    int testAny(int[] numbers) {
        int first = endOne(numbers);
        if (first < 0) {
            waits.looked();
        }
        return first;
    }

    int awaitAny(int[] numbers) {
        await(numbers, Math.min(1, count(numbers, false)));
        return endOne(numbers);
    }

    int awaitSome(int[] numbers, long[] indices) {
        await(numbers, Math.min(1, count(numbers, false)));
        return end(numbers, indices);
    }

    void awaitAll(int... numbers) {
        await(numbers, count(numbers, false));
        end(numbers, new long[numbers.length]);
    }
}
