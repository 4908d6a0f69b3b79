package org.pgas4j.launch;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.pgas4j.UsageException;

/** Reads lists of hosts, as users of MPI write them. A host named several times has as many slots. */
final class HostList {

    /** A name, then its slots: {@code node1:4}, {@code [fe80::1]:4}; more than one colon is an address without slots. */
    private static final Pattern ITEM = Pattern.compile("(\\[[^\\]]*\\]|[^:]*|.*:.*:.*?)(?::(\\d*|[^:]*))?");
    private static final Pattern SLOTS = Pattern.compile("slots\\s*=\\s*(\\S*)");

    private HostList() {
    }

    /** {@code a,b:4,user@c}. */
    static List<Host> parse(String text) {
        List<Host> hosts = new ArrayList<>();
        for (String item : text.split(",", -1)) {
            hosts.add(item(item.strip(), "--host " + text));
        }
        return merge(hosts);
    }

    /**
     * One host a line: {@code node1}, {@code node1:4} or {@code node1 slots=4}; empty lines and comments after {@code #}
     * are left out.
     */
    static List<Host> read(Path file) {
        List<String> lines;
        try {
            lines = Files.readAllLines(file);
        } catch (IOException e) {
            throw new UsageException("--hostfile " + file + ": cannot be read: " + e, e);
        }
        List<Host> hosts = new ArrayList<>();
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i).replaceFirst("#.*", "").strip();
            if (!line.isEmpty()) {
                hosts.add(line(line, "--hostfile " + file + ", line " + (i + 1)));
            }
        }
        if (hosts.isEmpty()) {
            throw new UsageException("--hostfile " + file + ": there is no host in it");
        }
        return merge(hosts);
    }

    private static Host line(String line, String where) {
        String[] words = line.split("\\s+", 2);
        if (words.length == 1) {
            return item(line, where);
        }
        Matcher slots = SLOTS.matcher(words[1]);
        if (!slots.matches()) {
            throw new UsageException(where + ": '" + words[1] + "' (expected: slots=N)");
        }
        return Host.of(words[0], slots.group(1), where);
    }

    private static Host item(String item, String where) {
        Matcher parts = ITEM.matcher(item);
        if (!parts.matches()) {
            throw new UsageException(where + ": '" + item + "' is no host");
        }
        boolean address = item.indexOf(':') != item.lastIndexOf(':') && !item.startsWith("[");
        String name = address ? item : parts.group(1);
        return Host.of(name.replaceAll("[\\[\\]]", ""), address ? null : parts.group(2), where);
    }

    private static List<Host> merge(List<Host> hosts) {
        Map<String, Host> merged = new LinkedHashMap<>();
        hosts.forEach(host -> merged.merge(host.name(), host, Host::and));
        return List.copyOf(merged.values());
    }
}
