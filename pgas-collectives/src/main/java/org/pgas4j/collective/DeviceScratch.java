package org.pgas4j.collective;

import java.util.ArrayList;
import java.util.List;
import org.pgas4j.DeviceException;
import org.pgas4j.DeviceMemory;
import org.pgas4j.device.Accelerator;
import org.pgas4j.os.CloseHelper;

/** Private memory of a device for what runs of members have together, of one stream at a time. Used by the rank's thread. */
final class DeviceScratch implements AutoCloseable {

    private final Accelerator accelerator;
    private final List<DeviceMemory> levels = new ArrayList<>();

    DeviceScratch(Accelerator accelerator) {
        this.accelerator = accelerator;
    }

    /** Memory of {@link CollectiveLimits#DEVICE_SCRATCH_BYTES} bytes. */
    DeviceMemory level(int number) {
        while (levels.size() <= number) {
            levels.add(accelerator.allocate(CollectiveLimits.DEVICE_SCRATCH_BYTES, false));
        }
        return levels.get(number);
    }

    /** True if there is memory of so many numbers, from 0 on. */
    boolean hasLevels(int count) {
        try {
            level(count - 1);
            return true;
        } catch (DeviceException e) { // none is left
            return false;
        }
    }

    @Override
    public void close() {
        CloseHelper.closeAll(List.copyOf(levels));
    }
}
