package org.pgas4j.device.cuda;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.pgas4j.DeviceException;
import org.pgas4j.device.DeviceHandle;

@Timeout(30)
class IpcMappingsTest {

    @Test
    void shouldRefuseWhatThisProcessExported() {
        byte[] token = new byte[64];
        token[7] = 7;
        IpcMappings mappings = new IpcMappings("cuda:1");
        IpcMappings.noteExport(4096, token);
        try {
            DeviceException e = assertThrows(DeviceException.class,
                    () -> mappings.open(new DeviceHandle("cuda", 2, 100, token.clone())));
            assertTrue(e.getMessage().contains("memory of cuda:2 was exported by this process"), e.getMessage());
        } finally {
            IpcMappings.forgetExport(4096);
        }
        assertThrows(DeviceException.class, () -> mappings.close(4096));
    }
}
