package org.pgas4j.runtime.memory;

import java.util.List;
import org.pgas4j.PgasException;

/** Closes many things. */
public final class Closing {

    private Closing() {
    }

    /** Closes all in order; throws the first failure with the others suppressed. */
    public static void closeAll(List<? extends AutoCloseable> resources) {
        RuntimeException first = null;
        for (AutoCloseable resource : resources) {
            try {
                if (resource != null) {
                    resource.close();
                }
            } catch (Exception e) {
                if (first == null) {
                    first = e instanceof RuntimeException runtime ? runtime
                            : new PgasException("closing " + resource + " failed: " + e.getMessage(), e);
                } else {
                    first.addSuppressed(e);
                }
            }
        }
        if (first != null) {
            throw first;
        }
    }
}
