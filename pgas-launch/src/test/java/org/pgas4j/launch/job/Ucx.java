package org.pgas4j.launch.job;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.pgas4j.Backend;
import org.pgas4j.Pgas;
import org.pgas4j.PgasConfig;
import org.pgas4j.PgasKey;
import org.pgas4j.UsageException;

/** Whether this machine has UCX. */
public final class Ucx {

    private static final String REQUIRED = "test.require.ucx";

    private Ucx() {
    }

    /** Skips the test, saying what is missing, where there is no UCX; fails where it is required. */
    public static void assume() {
        String missing = null;
        try {
            Pgas.run(new PgasConfig().ranks(1).device(Backend.HOST).set(PgasKey.CONDUIT, "ucx"), rank -> { });
        } catch (UsageException e) {
            missing = e.getMessage();
        }
        if (missing != null && Boolean.getBoolean(REQUIRED)) {
            throw new AssertionError(REQUIRED + "=true and " + missing);
        }
        assumeTrue(missing == null, missing);
    }
}
