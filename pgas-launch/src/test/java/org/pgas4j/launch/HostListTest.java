package org.pgas4j.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgas4j.UsageException;
import org.pgas4j.bootstrap.ProcessLayout;

@Timeout(10)
class HostListTest {

    @TempDir
    private Path folder;

    @Test
    void shouldReadHostsOfTheCommandLine() {
        assertEquals(List.of(new Host("a", 1, false), new Host("b", 4, true), new Host("u@c.d-e", 1, false),
                new Host("10.0.0.7", 2, true)), HostList.parse("a, b:4,u@c.d-e,10.0.0.7:2"));
        assertEquals(List.of(new Host("fe80::1", 1, false), new Host("fe80::2", 3, true)),
                HostList.parse("fe80::1,[fe80::2]:3"));
        assertEquals(List.of(new Host("a", 5, true), new Host("b", 1, false)), HostList.parse("a,b,a:4"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ",", "a,", "-oProxyCommand=x", "a:0", "a:-1", "a:x", "a:", "a b", "a;b", "a:99999999", "$(id)"})
    void shouldRefuseWhatIsNoHost(String text) {
        UsageException refused = assertThrows(UsageException.class, () -> HostList.parse(text));

        assertTrue(refused.getMessage().contains("--host " + text), refused.getMessage());
    }

    @Test
    void shouldReadFilesAsOthersWriteThem() throws IOException {
        Path file = Files.writeString(folder.resolve("hosts"), """
                # the big ones
                node1 slots=4
                node2:2      # half
                node3

                node4 slots = 1
                node5
                node5
                """);

        assertEquals(List.of(new Host("node1", 4, true), new Host("node2", 2, true), new Host("node3", 1, false),
                new Host("node4", 1, true), new Host("node5", 2, true)), HostList.read(file));
    }

    @ParameterizedTest
    @CsvSource({"node1 slot=4, line 1", "'a\nnode2 max_slots=3', line 2", "a slots=, line 1", "a slots=0, line 1",
        "'# nothing', no host"})
    void shouldNameTheLine(String text, String expected) throws IOException {
        Path file = Files.writeString(folder.resolve("hosts"), text);

        UsageException refused = assertThrows(UsageException.class, () -> HostList.read(file));

        assertTrue(refused.getMessage().contains(file.toString()) && refused.getMessage().contains(expected),
                refused.getMessage());
        assertThrows(UsageException.class, () -> HostList.read(folder.resolve("missing")));
    }

    @ParameterizedTest(name = "{0} JVMs on {1}: {2}")
    @CsvSource(delimiter = '|', value = {
        "4 | a:4,b:4     | a 0-3",
        "6 | a:4,b:4     | a 0-3, b 4-5",
        "2 | a,b         | a 0-0, b 1-1",
        "8 | a,b         | a 0-3, b 4-7",
        "7 | a,b,c       | a 0-2, b 3-4, c 5-6",
        "8 | a:2,b,c:1   | a 0-1, b 2-6, c 7-7",
        "3 | a,a,b       | a 0-1, b 2-2",
    })
    void shouldDealBySlots(int processes, String hosts, String expected) {
        List<NodeShare> shares = NodeShare.deal(new ProcessLayout(processes, 16), HostList.parse(hosts));

        assertEquals(List.of(expected.split(", ")), shares.stream().map(share -> share.host() + " " + share.first() + "-"
                + (share.end() - 1)).toList());
        assertEquals(processes, shares.stream().mapToInt(NodeShare::processes).sum());
    }

    @Test
    void shouldSayThatThereAreTooFewSlots() {
        UsageException refused = assertThrows(UsageException.class, () ->
                NodeShare.deal(new ProcessLayout(5, 8), HostList.parse("a:2,b:2")));

        assertEquals("5 JVMs for 4 slots on 2 hosts; give the hosts more slots (-H a:4, slots=4) or fewer --processes",
                refused.getMessage());
    }

    @Test
    void shouldNameTheRanksOfANode() {
        List<NodeShare> shares = NodeShare.deal(new ProcessLayout(3, 8), HostList.parse("u@a:2,b:1"));

        assertEquals("ranks 0-5", shares.get(0).ranks());
        assertEquals("ranks 6-7", shares.get(1).ranks());
        assertEquals("a", shares.get(0).host());
        assertEquals("j.1", shares.get(1).directoryName("j"));
    }
}
