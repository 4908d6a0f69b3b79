package org.pgas4j.runtime;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.pgas4j.Backend;
import org.pgas4j.Pgas;
import org.pgas4j.PgasConfig;
import org.pgas4j.PgasKey;
import org.pgas4j.testkit.Testkit;

/** Collective operations on vectors and arrays, with ranks as threads of this JVM. */
@Timeout(value = 200, unit = TimeUnit.SECONDS)
class CollectivesTest {

    @ParameterizedTest(name = "{0}, ranks {1}, conduit {2}, route {3}, devices {4}")
    @CsvSource({
        "vectors, 1, shm,      auto,       1",
        "vectors, 2, shm,      auto,       1",
        "vectors, 3, shm,      auto,       2",
        "vectors, 4, shm,      fastpath,   2",
        "vectors, 7, shm,      auto,       3",
        "vectors, 3, shm,      rendezvous, 2",
        "vectors, 2, loopback, auto,       1",
        "arrays,  1, shm,      auto,       1",
        "arrays,  2, shm,      auto,       1",
        "arrays,  3, shm,      fastpath,   2",
        "arrays,  4, loopback, auto,       2",
        "arrays,  7, shm,      auto,       1",
    })
    void shouldKeepTheContract(String contract, int ranks, String conduit, String route, int devices) {
        List<String> words = List.of("contract", contract);
        PgasConfig config = Testkit.config(words).ranks(ranks).device(Backend.HOST).set(PgasKey.CONDUIT, conduit)
                .set(PgasKey.ROUTE, route).set(PgasKey.HOST_DEVICES, Integer.toString(devices));

        Pgas.run(config, words, Testkit::run);
    }
}
