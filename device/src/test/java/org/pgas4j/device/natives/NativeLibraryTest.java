package org.pgas4j.device.natives;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.pgas4j.DeviceException;

@Timeout(30)
class NativeLibraryTest {

    @Test
    void shouldSayInOneLineWhatIsMissingEachTime() {
        NativeLibrary library = new NativeLibrary("Nothing", "install it", "org.example.nothing");
        for (int i = 0; i < 2; i++) {
            DeviceException e = assertThrows(DeviceException.class, library::require);

            assertEquals("cannot load Nothing: no class org.example.nothing; install it", e.getMessage());
        }
    }

    @Test
    void shouldFindTheInnermostReason() {
        Throwable inner = new UnsatisfiedLinkError("libx.so.1: cannot open shared object file\nand more");

        assertEquals("libx.so.1: cannot open shared object file",
                NativeLibrary.reason(new IllegalStateException("outer", new IllegalStateException(inner))));
    }
}
