package org.pgas4j.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.pgas4j.UsageException;
import org.pgas4j.bootstrap.JobSecret;
import org.pgas4j.bootstrap.ProcessLayout;

/** Records that launcher and agents exchange through pipes. */
@Timeout(20)
class AgentRecordTest {

    private static final long SEED = 20261121;

    private final JobSecret secret = JobSecret.random();
    private final ProcessLayout layout = new ProcessLayout(5, 9);
    private final JobOptions options = new JobOptions(layout, Map.of("pgas.device", "host"), Map.of("A", "b\nc=d"),
            List.of("-Xmx1g"), "x".repeat(100_000), "org.example.Main", List.of("", "ä b"), Path.of("/work here"), true, null,
            null, Duration.ofMillis(1_500), true);
    private final AgentRecord record = new AgentRecord("ab12", secret, List.of("10.0.0.1", "fe80::1"), 4711, true,
            new NodeShare(1, "b", 2, 4, layout), null, options);

    private static AgentRecord read(byte[] bytes) throws IOException {
        return AgentRecord.read(new DataInputStream(new ByteArrayInputStream(bytes)));
    }

    @Test
    void shouldReadTheRecordAndNothingAfterIt() throws IOException {
        byte[] bytes = record.encode();
        ByteArrayInputStream in = new ByteArrayInputStream(Arrays.copyOf(bytes, bytes.length + 1));

        AgentRecord read = AgentRecord.read(new DataInputStream(in));

        assertEquals(1, in.available());
        assertEquals(options, read.options());
        assertEquals(record.share(), read.share());
        assertEquals(record.addresses(), read.addresses());
        assertEquals(secret.toHex(), read.secret().toHex());
        assertNull(read.directory());
        assertFalse(read.toString().contains(secret.toHex()));
    }

    @Test
    void shouldRefuseWhatIsNoRecord() {
        byte[] good = record.encode();
        Random random = new Random(SEED);
        assertThrows(IOException.class, () -> read(new byte[0]));
        assertThrows(UsageException.class, () -> read(new byte[16]));
        for (int length = 8; length < good.length; length += 1 + random.nextInt(1_000)) {
            byte[] cut = Arrays.copyOf(good, length);
            assertThrows(IOException.class, () -> read(cut));
        }
        for (int trial = 0; trial < 2_000; trial++) {
            byte[] flipped = good.clone();
            flipped[random.nextInt(200)] ^= (byte) (1 << random.nextInt(Byte.SIZE));
            try {
                read(flipped);
            } catch (UsageException | IOException expected) {
                assertFalse(String.valueOf(expected.getMessage()).contains(secret.toHex()));
            }
        }
    }

    @Test
    void shouldReadFramesAndRefuseOthers() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        AgentFrame.write(bytes, AgentFrame.ERR, 7, new byte[] {1, 2, 3, 4}, 1, 2);
        AgentFrame.write(bytes, AgentFrame.FAILED, 2, "why");
        bytes.write(AgentFrame.OUT);
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes.toByteArray()));

        AgentFrame first = AgentFrame.read(in);
        AgentFrame second = AgentFrame.read(in);

        assertEquals(AgentFrame.ERR, first.type());
        assertEquals(7, first.number());
        assertEquals(List.of((byte) 2, (byte) 3), List.of(first.bytes()[0], first.bytes()[1]));
        assertEquals("why", second.text());
        assertNull(AgentFrame.read(in), "cut off in the middle");
        assertThrows(IOException.class, () -> AgentFrame.read(new DataInputStream(new ByteArrayInputStream(
                new byte[] {9, 0, 0, 0, 0, 0, 0, 0, 0}))));
        assertThrows(IOException.class, () -> AgentFrame.read(new DataInputStream(new ByteArrayInputStream(
                new byte[] {1, 0, 0, 0, 0, 0x7f, 0, 0, 0}))));
    }
}
