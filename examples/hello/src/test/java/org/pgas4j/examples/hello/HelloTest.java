package org.pgas4j.examples.hello;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgas4j.Backend;
import org.pgas4j.Pgas;
import org.pgas4j.PgasConfig;

@Timeout(30)
class HelloTest {

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 5})
    void shouldHaveTheNumberOfTheRankBefore(int ranks) {
        Pgas.run(new PgasConfig().ranks(ranks).device(Backend.HOST), rank ->
                assertEquals((rank.rank() + ranks - 1) % ranks, Hello.exchange(rank)));
    }
}
