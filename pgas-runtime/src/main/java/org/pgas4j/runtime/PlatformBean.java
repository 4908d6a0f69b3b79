package org.pgas4j.runtime;

import java.lang.management.ManagementFactory;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.ObjectName;
import org.pgas4j.PgasException;

/** A bean on the platform's MBean server, from its making until it is closed. Thread-safe. */
final class PlatformBean implements AutoCloseable {

    private final ObjectName name;

    /**
     * Registers a bean of a rank.
     *
     * @param type of the bean, in its name
     * @param run  number of the run in this JVM
     */
    PlatformBean(Object bean, String type, int run, int rank) {
        try {
            name = new ObjectName("org.pgas4j:type=" + type + ",run=" + run + ",rank=" + rank);
            ManagementFactory.getPlatformMBeanServer().registerMBean(bean, name);
        } catch (JMException e) {
            throw new PgasException("the " + type + " of rank " + rank + " of run " + run + " cannot be registered: "
                    + e.getMessage(), e);
        }
    }

    /** Removes the bean from the server; has no effect if it is gone. */
    @Override
    public void close() {
        try {
            ManagementFactory.getPlatformMBeanServer().unregisterMBean(name);
        } catch (InstanceNotFoundException e) {
            System.getLogger("pgas.runtime").log(System.Logger.Level.DEBUG, () -> name + " was removed by somebody else", e);
        } catch (JMException e) {
            throw new PgasException(name + " cannot be removed: " + e.getMessage(), e);
        }
    }
}
