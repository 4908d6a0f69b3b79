package org.pgas4j.runtime;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.pgas4j.Backend;
import org.pgas4j.Pgas;
import org.pgas4j.PgasConfig;
import org.pgas4j.PgasKey;
import org.pgas4j.testkit.Testkit;

/** Kernels written in Java, on the host device, with ranks as threads of this JVM. */
@Timeout(value = 100, unit = TimeUnit.SECONDS)
class JavaKernelTest {

    @ParameterizedTest(name = "ranks {0}, devices {1}")
    @CsvSource({"1, 1", "2, 2", "3, 1", "5, 2"})
    void shouldKeepTheContract(int ranks, int devices) {
        List<String> words = List.of("contract", "java-kernels");
        PgasConfig config = Testkit.config(words).ranks(ranks).device(Backend.HOST).set(PgasKey.HOST_DEVICES, Integer.toString(devices));

        Pgas.run(config, words, Testkit::run);
    }

    /** All generated methods are translated, and give on the host device what they give in plain Java. */
    @Test
    void shouldComputeGeneratedMethods() {
        List<String> words = List.of("kernel-fuzz", "--methods", "8", "--batch", "4");

        Pgas.run(Testkit.config(words).ranks(2).device(Backend.HOST), words, Testkit::run);
    }
}
