package org.pgas4j.runtime.notify;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.pgas4j.Buffer;

/** Memory of the program that ranks of this JVM show each other in windows, by number. Any thread. */
public final class ShownMemory {

    private final Map<Long, Buffer> memories = new ConcurrentHashMap<>();
    private final AtomicLong numbers = new AtomicLong();

    /** Number by which other ranks find the memory; never used again. */
    long add(Buffer memory) {
        long number = numbers.incrementAndGet();
        memories.put(number, memory);
        return number;
    }

    /** The memory of a number; null if it is shown no more. */
    Buffer find(long number) {
        return memories.get(number);
    }

    void remove(long number) {
        memories.remove(number);
    }
}
