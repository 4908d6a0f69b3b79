package org.pgas4j.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgas4j.Backend;
import org.pgas4j.Pgas;
import org.pgas4j.PgasConfig;
import org.pgas4j.PgasKey;
import org.pgas4j.UsageException;
import org.pgas4j.os.Libc;

@Timeout(60)
class HelperCpusTest {

    private static void run(String cpus) {
        Pgas.run(new PgasConfig().ranks(1).device(Backend.HOST).hostHeap(1 << 20).deviceHeap(1 << 20)
                .set(PgasKey.HELPER, "on").set(PgasKey.HELPER_CPUS, cpus), rank -> rank.barrier());
    }

    @ParameterizedTest
    @ValueSource(strings = {"-1", "1023", "99999999", "0,-1", "0;1", "0,", "\u0660", "99999999999"})
    void shouldRefuseProcessorsThatCannotBe(String cpus) {
        UsageException refused = assertThrows(UsageException.class, () -> run(cpus));

        assertEquals(2, refused.exitCode());
        assertTrue(refused.getMessage().startsWith("pgas.helper.cpus='" + cpus + "'"), refused.getMessage());
    }

    @Test
    void shouldTakeThoseOfThisProcess() {
        int[] allowed = Libc.allowedCpus();

        run(Integer.toString(allowed[allowed.length - 1]));
    }
}
