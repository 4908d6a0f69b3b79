package org.pgas4j.bootstrap.node;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Identity of a node as text. JVMs with equal identities can open each other's memory files.
 *
 * @param machine boot of the kernel they run under; nodes of one machine share its processors and memory
 * @param node    of the machine: namespaces and user, or the name that {@code pgas.node} gives
 */
public record NodeIdentity(String machine, String node) {

    /**
     * Identity of the node of this JVM.
     *
     * @param name  value of {@code pgas.node}, or null to go by network and user. Processes of another PID namespace
     *              are always on another node: their memory files have no path here
     * @param group further part of the name, or null
     */
    public static NodeIdentity current(String name, String group) {
        try {
            String node = namespace("pid") + " " + (name != null ? "name " + name
                    : namespace("net") + " " + namespace("user") + " uid " + user());
            return new NodeIdentity(bootId(), group == null ? node : node + " group " + group);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read the identity of this node", e);
        }
    }

    /** Id of the kernel's boot. */
    public static String bootId() throws IOException {
        return Files.readString(Path.of("/proc/sys/kernel/random/boot_id")).strip();
    }

    /** A namespace of this process, of kind {@code pid} for example. */
    public static String namespace(String kind) throws IOException {
        return Files.readSymbolicLink(Path.of("/proc/self/ns", kind)).toString();
    }

    /** Number of this process's user. */
    public static int user() throws IOException {
        return (int) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
    }
}
