package org.pgas4j.launch.job;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.pgas4j.Backend;
import org.pgas4j.Pgas;
import org.pgas4j.PgasConfig;
import org.pgas4j.PgasKey;
import org.pgas4j.testkit.Testkit;

/**
 * The contracts with ranks as threads of this JVM, on every conduit and route, on the host device. Transfers go one and two
 * ranks further: what sixteen add to five is in the other contracts.
 */
@Timeout(value = 240, unit = TimeUnit.SECONDS)
@Tag("slow")
class ContractTest {

    @ParameterizedTest(name = "{0}: ranks {1}, conduit {2}, route {3}, devices {4}")
    @CsvSource({
        "transfer,    1, shm,      auto,       1",
        "transfer,    2, shm,      auto,       1",
        "transfer,    3, shm,      direct,     2",
        "transfer,    2, shm,      fastpath,   2",
        "transfer,    2, shm,      rendezvous, 2",
        "transfer,    2, loopback, auto,       1",
        "pieces,      1, shm,      auto,       1",
        "pieces,      3, shm,      direct,     2",
        "pieces,      3, loopback, fastpath,   2",
        "pieces,      2, shm,      rendezvous, 2",
        "transfer,    3, loopback, fastpath,   2",
        "transfer,    3, loopback, rendezvous, 2",
        "transfer,    5, shm,      auto,       2",
        "transfer,    2, shm,      resident,   2",
        "atomic,      2, shm,      resident,   2",
        "stream,      2, shm,      resident,   2",
        "window,      3, shm,      resident,   2",
        "allocation,  1, shm,      auto,       1",
        "allocation,  3, loopback, auto,       1",
        "allocation, 16, shm,      auto,       1",
        "collective,  1, shm,      auto,       1",
        "collective,  2, shm,      auto,       1",
        "collective,  5, loopback, auto,       1",
        "collective,  8, shm,      fastpath,   2",
        "collective,  9, shm,      auto,       3",
        "collective,  9, shm,      rendezvous, 3",
        "collective, 16, shm,      auto,       1",
        "atomic,      1, shm,      auto,       1",
        "atomic,      3, shm,      auto,       2",
        "atomic,      3, shm,      fastpath,   2",
        "atomic,      2, loopback, auto,       1",
        "atomic,      5, loopback, messages,   2",
        "atomic,      3, ucx:shm,  auto,       2",
        "atomic,      2, ucx:tcp,  fastpath,   2",
        "lock,        1, shm,      auto,       1",
        "lock,        4, shm,      auto,       2",
        "lock,       16, shm,      auto,       1",
        "lock,        3, loopback, messages,   1",
        "lock,        3, ucx:tcp,  auto,       1",
        "stream,      1, shm,      auto,       1",
        "stream,      4, loopback, auto,       2",
        "stream,      3, shm,      fastpath,   3",
        "stream,      3, shm,      rendezvous, 3",
        "stream,     16, shm,      auto,       1",
        "gemm,        1, shm,      auto,       1",
        "gemm,        2, shm,      auto,       2",
        "window,      1, shm,      auto,       1",
        "window,      2, shm,      auto,       1",
        "window,      3, shm,      messages,   2",
        "window,      2, shm,      fastpath,   2",
        "window,      3, shm,      rendezvous, 3",
        "window,      3, loopback, auto,       2",
        "window,      9, shm,      auto,       2",
        "window,      2, ucx:shm,  auto,       1",
        "window,      2, ucx:tcp,  fastpath,   2",
        "transfer,    2, ucx:shm,  auto,       1",
        "transfer,    2, ucx:shm,  fastpath,   2",
        "collective,  3, ucx:shm,  rendezvous, 2",
        "collective,  9, ucx:shm,  auto,       2",
        "collective,  2, ucx:tcp,  auto,       1",
        "vectors,     3, ucx:shm,  auto,       2",
        "arrays,      3, ucx:tcp,  auto,       1",
        "collective,  5, ucx:tcp,  auto,       1",
    })
    void shouldKeepTheContract(String contract, int ranks, String conduit, String route, int devices) {
        List<String> words = List.of("contract", contract);
        PgasConfig config = Testkit.config(words).ranks(ranks).device(Backend.HOST).set(PgasKey.CONDUIT, conduit.split(":")[0])
                .set(PgasKey.ROUTE, route).set(PgasKey.HOST_DEVICES, Integer.toString(devices));
        if (conduit.startsWith("ucx:")) {
            Ucx.assume();
            config.set(PgasKey.UCX_TLS, conduit.split(":")[1]);
        }
        Pgas.run(config, words, Testkit::run);
    }
}
