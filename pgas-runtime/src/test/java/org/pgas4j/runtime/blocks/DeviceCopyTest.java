package org.pgas4j.runtime.blocks;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The device library, compiled by g++ for the host, copies what the host has written: these bytes and no others. */
class DeviceCopyTest {

    private static final String BEFORE = """
            #include <algorithm>
            #include <cstdio>
            #include <cstring>
            #define PGAS_FN static inline
            typedef unsigned long long pgas_u64;
            typedef unsigned int pgas_u32;
            struct ulonglong2 { pgas_u64 x, y; };
            using std::max;
            using std::min;
            static void pgas_ld2(const void *p, pgas_u64 &a, pgas_u64 &b) {
                memcpy(&a, p, 8);
                memcpy(&b, (const char *) p + 8, 8);
            }
            """;
    /** Each range of up to 1,100 bytes that begins in the first 16, by 1, 3 and 32 threads; then one of 8 KiB. */
    private static final String MAIN = """
            alignas(16) static char src[16384], dst[16384];
            static int copies, wrong;
            static void copy(pgas_u32 first, pgas_u32 end, pgas_u32 n) {
                memset(dst, -1, sizeof dst);
                for (pgas_u32 i = 0; i < n; i++) {
                    pgas_copy_from_host(dst, src, first, end, i, n);
                }
                copies++;
                for (pgas_u32 k = 0; k < sizeof dst; k++) {
                    wrong += dst[k] != (k >= first && k < end ? src[k] : -1);
                }
            }
            int main() {
                for (pgas_u32 k = 0; k < sizeof src; k++) {
                    src[k] = k * 7 % 127;
                }
                for (pgas_u32 n : {1u, 3u, 32u}) {
                    for (pgas_u32 first = 0; first < 16; first++) {
                        for (pgas_u32 end = first + 1; end < 1100; end += end < 64 ? 1 : 37) {
                            copy(first, end, n);
                        }
                        copy(first, first + 8192, n);
                    }
                }
                printf("%d copies, %d wrong\\n", copies, wrong);
            }
            """;

    @Test
    void shouldCopyTheBytesOfARangeAndNoOthers(@TempDir Path folder) throws Exception {
        String library = DeviceLibrary.text(true);
        Path file = Files.writeString(folder.resolve("copy.cpp"), BEFORE + "#define PGAS_HOST_WORDS 5\n"
                + HostProgram.function(library, "pgas_copy_from_host") + MAIN);

        String printed = HostProgram.compile(file, "-std=c++17", "-O1", "-Wno-unknown-pragmas").run(0, List.of());

        assertEquals("4056 copies, 0 wrong\n", printed);
    }
}
