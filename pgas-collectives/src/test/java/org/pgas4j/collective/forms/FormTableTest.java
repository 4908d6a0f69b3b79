package org.pgas4j.collective.forms;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.pgas4j.StreamForm;
import org.pgas4j.UsageException;

/** Tables of the forms of operations on streams, and their profiles. */
class FormTableTest {

    private static long[] limits() {
        long[] limits = new long[FormTable.SIZES];
        Arrays.setAll(limits, i -> 100L * (i / 3 + 1) * new long[] {1, 3, 10}[i % 3]);
        return limits;
    }

    @ParameterizedTest
    @EnumSource(StreamCall.class)
    void shouldChangeTheFormAboveEachSize(StreamCall call) {
        FormTable table = new FormTable(limits(), "test");
        long packets = 100L * (call.ordinal() + 1);

        assertEquals(StreamForm.PACKETS, table.form(call, 1));
        assertEquals(StreamForm.PACKETS, table.form(call, packets));
        assertEquals(StreamForm.PACKETS_TWO_SHOT, table.form(call, packets + 1));
        assertEquals(StreamForm.PACKETS_TWO_SHOT, table.form(call, packets * 3));
        assertEquals(StreamForm.DIRECT, table.form(call, packets * 3 + 1));
        assertEquals(StreamForm.DIRECT, table.form(call, packets * 10));
        assertEquals(StreamForm.COPIES, table.form(call, packets * 10 + 1));
        assertTrue(table.describe().contains(call.text() + ": PACKETS up to " + packets + " bytes, PACKETS_TWO_SHOT up to "
                + packets * 3 + " bytes, DIRECT up to " + packets * 10 + " bytes, then COPIES"),
                table.describe());
    }

    @Test
    void shouldSendFewerPacketsToMoreMembers() {
        assertEquals(StreamForm.PACKETS, FormTable.builtIn(2).form(StreamCall.ALL_REDUCE, 256 << 10));
        assertEquals(StreamForm.PACKETS, FormTable.builtIn(4).form(StreamCall.ALL_REDUCE, 64 << 10));
        assertEquals(StreamForm.PACKETS_TWO_SHOT, FormTable.builtIn(4).form(StreamCall.ALL_REDUCE, 256 << 10));
        assertEquals(StreamForm.PACKETS, FormTable.builtIn(4).form(StreamCall.EXCHANGE, 256 << 10));
        assertEquals(StreamForm.DIRECT, FormTable.builtIn(2).form(StreamCall.ALL_REDUCE, 1L << 40));
        assertFalse(FormTable.builtIn(2).describe().contains("TWO_SHOT"), "a form that no size takes");
    }

    @Test
    void shouldRefuseSizesThatAreNone() {
        assertThrows(IllegalArgumentException.class, () -> new FormTable(new long[FormTable.SIZES - 1], "test"));
        long[] limits = limits();
        limits[3] = -1;
        assertTrue(assertThrows(IllegalArgumentException.class, () -> new FormTable(limits, "test")).getMessage().contains("-1"));
    }

    @Test
    void shouldKeepProfiles(@TempDir Path folder) throws IOException {
        Path file = FormProfile.file(folder.resolve("new").toString(), "NVIDIA H200 (x)", 4);
        assertEquals(folder.resolve("new").resolve("NVIDIA-H200-x--4.properties"), file);
        assertNull(FormProfile.read(file));
        FormProfile.write(file, new FormTable(limits(), "measured"));
        FormTable kept = FormProfile.read(file);

        assertArrayEquals(limits(), kept.limits());
        assertTrue(kept.describe().contains("profile " + file), kept.describe());
        try (var files = Files.list(file.getParent())) {
            assertEquals(1, files.count(), "files beside the profile");
        }
    }

    @Test
    void shouldReadAProfileFromBeforeThereWereTwoShots(@TempDir Path folder) throws IOException {
        Path file = FormProfile.file(folder.toString(), "device", 2);
        FormProfile.write(file, new FormTable(limits(), "measured"));
        Files.writeString(file, Files.readString(file).replaceAll("(?m)^\\w+\\.twoshot=.*\n", ""));

        FormTable old = FormProfile.read(file);

        assertEquals(StreamForm.PACKETS, old.form(StreamCall.ALL_REDUCE, 100));
        assertEquals(StreamForm.DIRECT, old.form(StreamCall.ALL_REDUCE, 101));
        assertEquals(StreamForm.COPIES, old.form(StreamCall.BROADCAST, 5001));
    }

    @Test
    void shouldNameADamagedProfile(@TempDir Path folder) throws IOException {
        Path file = FormProfile.file(folder.toString(), "device", 2);
        FormProfile.write(file, new FormTable(limits(), "measured"));
        Files.writeString(file, Files.readString(file).replace("exchange.direct=4000", "exchange.direct=many"));

        String message = assertThrows(UsageException.class, () -> FormProfile.read(file)).getMessage();

        assertTrue(message.contains(file.toString()) && message.contains("exchange.direct='many'"), message);
    }

    @Test
    void shouldFindWhereTimesCross() {
        long[] sizes = {10, 20, 40, 80};
        double[][][] times = new double[StreamCall.values().length][][];
        double none = Double.POSITIVE_INFINITY;
        double[] nowhere = {none, none, none, none};
        double[] copies = {9, 9, 9, 9};
        Arrays.fill(times, new double[][] {{1, 2, 4.1, none}, nowhere, {3, 3, 4, 5}, copies});
        times[1] = new double[][] {{1, 3.1, 4, none}, nowhere, {3, 3, 5, 9.5}, copies}; // noise in the second size
        times[2] = new double[][] {{4, 4, 4, none}, nowhere, {3, 3, 4, 9}, {9, 2, 2, 2}};
        times[3] = new double[][] {{1, 2, 4.1, none}, {2, 2.5, 3, none}, {3, 3, 4, 5}, copies};
        times[4] = new double[][] {{1, 2, 4.1, none}, nowhere, {5, 3, 4, 5}, {3, 4, 9, 9}}; // copies are faster than direct at first
        long[] limits = FormTable.measured(sizes, times).limits();

        assertArrayEquals(new long[] {20, 20, Long.MAX_VALUE, 40, 40, 40, 0, 0, 10, 20, 40, Long.MAX_VALUE, 20, 20, Long.MAX_VALUE},
                limits);
    }
}
