package org.pgas4j.launch;

import java.util.List;
import java.util.Set;
import org.pgas4j.UsageException;

/**
 * A machine to run JVMs on.
 *
 * @param name  in the form of the remote shell: a name, an address or {@code user@name}
 * @param slots JVMs it takes; if not {@code fixed}, those it takes before others take more
 * @param fixed true if the user gave the number of slots
 */
record Host(String name, int slots, boolean fixed) {

    private static final String NAME = "[A-Za-z0-9_.@%:\\[\\]][A-Za-z0-9_.@%:\\[\\]-]*";
    private static final Set<String> LOCAL = Set.of("localhost", "127.0.0.1", "::1");
    private static final int MAX_SLOTS = 1 << 20;

    /** @throws UsageException if no host has this name; one with a dash in front would be an option of the shell */
    static Host of(String name, String slots, String where) {
        if (!name.matches(NAME)) {
            throw new UsageException(where + ": '" + name + "' is no name of a host");
        }
        if (slots == null) {
            return new Host(name, 1, false);
        }
        if (!slots.matches("\\d{1,7}") || Integer.parseInt(slots) < 1 || Integer.parseInt(slots) > MAX_SLOTS) {
            throw new UsageException(where + ": '" + slots + "' slots (expected: 1.." + MAX_SLOTS + ")");
        }
        return new Host(name, Integer.parseInt(slots), true);
    }

    /** The host named twice: its slots add up. */
    Host and(Host again) {
        return new Host(name, slots + again.slots, true);
    }

    /** Without the user. */
    String shortName() {
        return name.substring(name.indexOf('@') + 1);
    }

    /** True if the name always means this machine. */
    boolean isLocal() {
        return LOCAL.contains(name);
    }

    static int slots(List<Host> hosts) {
        return hosts.stream().mapToInt(Host::slots).sum();
    }
}
