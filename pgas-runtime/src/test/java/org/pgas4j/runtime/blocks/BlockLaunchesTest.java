package org.pgas4j.runtime.blocks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.pgas4j.DeviceGrid;
import org.pgas4j.DeviceMemory;
import org.pgas4j.GridProgram;
import org.pgas4j.device.Accelerator;
import org.pgas4j.device.AcceleratorStream;

/** Order of what launches ask of a device, of the test's own. */
class BlockLaunchesTest {

    private static final GridProgram PROGRAM = new GridProgram("step", null, (_, _) -> { });

    private final Arena arena = Arena.ofConfined();
    private final HostPage page = HostPage.of(arena.allocate(HostPage.BYTES, 64));
    private final BlockLayout layout = new BlockLayout(2, 2);
    private final FakeDevice device = new FakeDevice();
    private final List<String> calls = device.calls;
    private final Accelerator accelerator = device.as(Accelerator.class, "device");
    private final AcceleratorStream stream = device.as(AcceleratorStream.class, "stream");
    private final BlockLaunches launches = new BlockLaunches(accelerator, 1, DeviceGrid.Options.of(2, 32), layout, 0, page,
            new ProxyWriter(accelerator, device.as(DeviceMemory.class, "memory"), 0, 0, layout, page, true),
            new LaunchDeadlines(page, Duration.ofSeconds(1), null), null);

    @AfterEach
    void close() {
        arena.close();
    }

    private void launch(AcceleratorStream on) {
        launches.launch(on, PROGRAM, "step", true, 0, new Object[0]);
    }

    /** Else a deadline would count what the compiler takes. */
    @Test
    void shouldCompileBeforeALaunchBegins() {
        launch(stream);
        launch(stream);

        assertEquals(List.of("device.prepare", "stream.writeValue", "stream.launchBlocks", "stream.writeValue",
                "stream.writeValue", "stream.launchBlocks", "stream.writeValue"), calls, "compiled once");
    }

    @Test
    void shouldWaitForTheLaunchBeforeOnAnotherStream() {
        launch(stream);
        calls.clear();
        launch(device.as(AcceleratorStream.class, "other"));

        assertEquals(List.of("stream.record", "other.await", "other.writeValue", "other.launchBlocks", "other.writeValue"), calls);
    }

    @Test
    void shouldNameTheLaunchThatRuns() {
        assertEquals("blocks of rank 1, program none, launch 0 of 0", launches.describe());
        launch(stream);
        launch(stream);
        assertEquals("blocks of rank 1, program step, launch 1 of 2", launches.describe());
        assertTrue(launches.areUnfinished());

        page.set(HostPage.DONE, 2);

        assertEquals("blocks of rank 1, program step, launch 2 of 2", launches.describe());
        assertFalse(launches.areUnfinished());
    }
}
