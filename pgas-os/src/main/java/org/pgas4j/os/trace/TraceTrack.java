package org.pgas4j.os.trace;

/**
 * Events of one thread, or of threads of one name after each other.
 *
 * @param name    of the thread
 * @param rank    that the thread works for; -1 if none or several
 * @param dropped number of older events that the ring had no room for
 * @param words   of the events, in the order of their ends ({@link TraceRecord})
 */
public record TraceTrack(String name, int rank, long dropped, long[] words) {

    /** Number of events. */
    public int count() {
        return words.length / TraceRecord.WORDS;
    }
}
