package org.pgas4j.collective;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.pgas4j.StreamForm;
import org.pgas4j.collective.forms.FormTable;
import org.pgas4j.collective.forms.StreamCall;
import org.pgas4j.device.Accelerator;
import org.pgas4j.device.host.HostBackend;

/** Agreement of a team on the forms of its operations on streams. */
class StreamSetupTest {

    @Test
    void shouldTakeTheFormThatIsAskedFor() {
        FormTable table = FormTable.builtIn(2);

        assertEquals(StreamForm.COPIES, new StreamForms(StreamForm.COPIES, table, null).form(StreamCall.EXCHANGE, 1));
        assertEquals(StreamForm.PACKETS, new StreamForms(StreamForm.AUTO, table, null).form(StreamCall.EXCHANGE, 1));
        assertTrue(new StreamForms(StreamForm.COPIES, table, null).describe().contains("COPIES"));
    }

    @Test
    void shouldFindTheReasonForWords() {
        try (HostBackend backend = new HostBackend(1, 1)) {
            StreamSetup setup = new StreamSetup(backend.open(0));

            assertNull(setup.reasonForWords(StreamForm.DIRECT, 2, 1, true));
            assertTrue(setup.reasonForWords(StreamForm.AUTO, 2, 1, true).contains("host device"));
            assertTrue(setup.reasonForWords(StreamForm.WORDS, 2, 1, true).contains("asks"));
            assertTrue(setup.reasonForWords(StreamForm.DIRECT, 9, 1, true).contains("9 members"));
            assertTrue(setup.reasonForWords(StreamForm.DIRECT, 1, 1, true).contains("1 members"));
        }
    }

    @Test
    void shouldTakeLessMemoryWhereThereIsLess() {
        try (HostBackend backend = new HostBackend(1, 1)) {
            Accelerator device = backend.open(0);
            StreamSetup setup = new StreamSetup(device);
            List<Long> asked = new ArrayList<>();
            long[] table = setup.table(2);
            StreamSetup.Agreed agreed = setup.byKernels(StreamForm.AUTO, 2, false, table, 100, bytes -> {
                asked.add(bytes);
                return asked.size() < 3 ? -1 : 1000;
            });

            assertEquals(25, agreed.blocks());
            assertEquals(1024, agreed.area(), "aligned");
            assertEquals(DeviceArea.bytes(2, 25, 0) + DeviceArea.ALIGNMENT, asked.getLast());
            assertEquals(0, agreed.pushing(), "two members do not push");
            asked.clear();
            agreed = setup.byKernels(StreamForm.AUTO, 4, false, table, 100, bytes -> {
                asked.add(bytes);
                return asked.size() < 2 ? -1 : 1000;
            });
            assertEquals(List.of(DeviceArea.bytes(4, 100, 100) + DeviceArea.ALIGNMENT, DeviceArea.bytes(4, 100, 0)
                    + DeviceArea.ALIGNMENT), asked, "memory to push to goes first");
            assertEquals(0, agreed.pushing());
            assertEquals(100, setup.byKernels(StreamForm.AUTO, 4, false, table, 100, _ -> 1000).pushing());
            asked.clear();
            long[] few = table.clone();
            few[FormTable.SIZES + 1] = 40;
            agreed = setup.byKernels(StreamForm.AUTO, 4, false, few, 100, bytes -> {
                asked.add(bytes);
                return asked.size() < 2 ? -1 : 1000;
            });
            assertEquals(List.of(DeviceArea.bytes(4, 100, 60) + DeviceArea.ALIGNMENT, DeviceArea.bytes(4, 100, 40)
                    + DeviceArea.ALIGNMENT), asked, "blocks that write alone are half as many again, where there is room");
            assertEquals(40, agreed.pushing());
            assertEquals(StreamForm.PACKETS, agreed.forms().form(StreamCall.EXCHANGE, 8));
            StreamSetup.Agreed none = setup.byKernels(StreamForm.AUTO, 2, false, table, 100, _ -> -1);
            assertEquals(0, none.blocks());
            assertTrue(none.forms().describe().contains("pgas.heap.device"), none.forms().describe());
            assertTrue(assertThrows(UnsupportedOperationException.class,
                    () -> setup.byKernels(StreamForm.DIRECT, 2, false, table, 100, _ -> -1)).getMessage().contains("DIRECT"));
        }
    }
}
