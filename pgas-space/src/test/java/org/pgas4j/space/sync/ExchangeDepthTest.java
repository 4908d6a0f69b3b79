package org.pgas4j.space.sync;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgas4j.fastpath.conduit.Conduit;
import org.pgas4j.fastpath.conduit.Endpoint;
import org.pgas4j.fastpath.conduit.loopback.LoopbackConduit;
import org.pgas4j.space.PlainRanks;
import org.pgas4j.space.memory.Peers;

/**
 * Longest chain of messages of an exchange and most messages of a rank, by Lamport's clocks (CACM 1978): every word written to
 * another rank carries the writer's clock, and a rank that reads it goes on from there.
 */
@Timeout(60)
class ExchangeDepthTest {

    private static final Call CALL = new Call("test(%d)", 1);

    /** Clocks of ranks and of the words that they wrote to others. */
    private static final class Clocks {

        private final int[] clocks;
        private final int[] messages;
        private final List<Map<Long, Integer>> stamps = new ArrayList<>();

        Clocks(int ranks) {
            clocks = new int[ranks];
            messages = new int[ranks];
            for (int i = 0; i < ranks; i++) {
                stamps.add(new HashMap<>());
            }
        }

        void wrote(int from, int to, long offset) {
            messages[from]++;
            stamps.get(to).put(offset, clocks[from] + 1);
        }

        void read(int from, int to, long offset) {
            if (from == to) {
                clocks[from] = Math.max(clocks[from], stamps.get(to).getOrDefault(offset, 0));
            }
        }

        void reset() {
            Arrays.fill(clocks, 0);
            Arrays.fill(messages, 0);
            stamps.forEach(Map::clear);
        }
    }

    private static Conduit counting(Clocks clocks) {
        Conduit plain = new LoopbackConduit();
        return proxy(Conduit.class, (method, args) -> {
            Object result = invoke(plain, method, args);
            if (!method.getName().equals("connect")) {
                return result;
            }
            int from = (int) args[0];
            int to = (int) args[1];
            return proxy(Endpoint.class, (call, given) -> {
                if (call.getName().equals("getWordAcquire")) {
                    clocks.read(from, to, (long) given[0]);
                } else if (call.getName().equals("putWordRelease") && from != to) {
                    clocks.wrote(from, to, (long) given[0]);
                }
                return invoke(result, call, given);
            });
        });
    }

    private interface Handler {
        Object call(Method method, Object[] args) throws Throwable;
    }

    private static <T> T proxy(Class<T> type, Handler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type},
                (_, method, args) -> handler.call(method, args)));
    }

    private static Object invoke(Object target, Method method, Object[] args) throws Throwable {
        try {
            return method.invoke(target, args);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 8, 64, 100, 1024})
    void shouldTakeTwoMessagesForEachDoublingOfRanks(int ranks) {
        Clocks clocks = new Clocks(ranks);
        try (PlainRanks all = new PlainRanks(1, ranks, counting(clocks))) {
            List<ScalarAllReduce> exchanges = new ArrayList<>();
            for (int rank = 0; rank < ranks; rank++) {
                Peers peers = all.peers(rank);
                Waiter waiter = all.waiter(rank, PlainRanks.LONG_NS);
                exchanges.add(new ScalarAllReduce(rank, ranks, peers, waiter, all.area(),
                        new Arrivals(rank, peers, waiter, () -> { }, HappensBefore.NONE)));
            }
            clocks.reset();
            long[][] words = new long[ranks][1];
            for (int rank = 0; rank < ranks; rank++) {
                words[rank][0] = rank;
                exchanges.get(rank).start(CALL, null, words[rank], (into, from) -> {
                    into[0] += from[0];
                    return true;
                }, null);
            }
            for (int done = 0; done < ranks; ) {
                done = 0;
                for (ScalarAllReduce exchange : exchanges) {
                    done += exchange.poll() ? 1 : 0;
                }
            }

            int doublings = 32 - Integer.numberOfLeadingZeros(ranks - 1);
            assertEquals(ranks * (ranks - 1L) / 2, words[ranks - 1][0]);
            int depth = Arrays.stream(clocks.clocks).max().orElseThrow();
            int most = Arrays.stream(clocks.messages).max().orElseThrow();
            boolean isPower = Integer.bitCount(ranks) == 1;
            int expected = ranks == 2 ? 1 : 2 * doublings;
            assertTrue(isPower ? depth == expected : depth <= expected, "longest chain: " + depth);
            // Three words make a message: the call, what it says, the sequence number.
            assertTrue(most <= 3 * doublings, "a rank wrote " + most + " words");
        }
    }
}
