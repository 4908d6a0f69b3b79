package org.pgas4j.os;

import java.util.List;

/** Closes many resources. */
public final class CloseHelper {

    private CloseHelper() {
    }

    /** Closes all in order, skips null; throws the first failure with the others suppressed. */
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
                            : new IllegalStateException("closing " + resource + " failed: " + e.getMessage(), e);
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
