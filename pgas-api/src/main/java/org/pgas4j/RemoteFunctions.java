package org.pgas4j;

import java.util.Collections;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;

/** Functions by name that ranks call on each other, and the size of their messages: the argument of {@link Rank#remote}. */
public final class RemoteFunctions {

    private static final long DEFAULT_BYTES = 256;
    private static final int DEFAULT_CAPACITY = 64;
    private static final long MAX_BYTES = 1L << 20;
    private static final int MAX_CAPACITY = 1 << 16;

    private final SortedMap<String, RemoteFunction> functions = new TreeMap<>();
    private long maxBytes = DEFAULT_BYTES;
    private int capacity = DEFAULT_CAPACITY;

    /** No function yet, and the defaults of sizes. */
    public RemoteFunctions() {
    }

    /**
     * Adds a function. The ranks add the same names, in any order.
     *
     * @throws IllegalArgumentException if there is one of that name
     */
    public RemoteFunctions add(String name, RemoteFunction function) {
        Objects.requireNonNull(name, "name");
        if (functions.putIfAbsent(name, Objects.requireNonNull(function, () -> "remote function " + name)) != null) {
            throw new IllegalArgumentException("remote function " + name + " is there already");
        }
        return this;
    }

    /** Sets the largest number of bytes of arguments and of a result, 1..1048576; 256 if it is not set. */
    public RemoteFunctions maxBytes(long bytes) {
        if (bytes < 1 || bytes > MAX_BYTES) {
            throw new IllegalArgumentException("remote functions: maxBytes=" + bytes + " (expected: 1.." + MAX_BYTES + ")");
        }
        maxBytes = bytes;
        return this;
    }

    /**
     * Sets how many calls a rank holds that others have made and it has not run, how many results it may wait for at once, and
     * how many calls its functions may have sent for which there is no room yet: 1..65536 each; 64 if it is not set. While the
     * last are as many, the rank runs no functions; so functions that each send one call on always find room.
     */
    public RemoteFunctions capacity(int calls) {
        if (calls < 1 || calls > MAX_CAPACITY) {
            throw new IllegalArgumentException("remote functions: capacity=" + calls + " (expected: 1.." + MAX_CAPACITY + ")");
        }
        capacity = calls;
        return this;
    }

    /** Functions in the order of their names. */
    public SortedMap<String, RemoteFunction> functions() {
        return Collections.unmodifiableSortedMap(functions);
    }

    /** See {@link #maxBytes(long)}. */
    public long maxBytes() {
        return maxBytes;
    }

    /** See {@link #capacity(int)}. */
    public int capacity() {
        return capacity;
    }
}
