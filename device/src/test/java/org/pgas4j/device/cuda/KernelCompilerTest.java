package org.pgas4j.device.cuda;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.pgas4j.CudaCode;
import org.pgas4j.DeviceException;

@Timeout(30)
class KernelCompilerTest {

    private static final CudaCode CODE = CudaCode.source("extern \"C\" __global__ void k() { }");

    @TempDir
    private Path directory;

    private final List<List<String>> compiled = new ArrayList<>();
    private KernelCompiler compiler;

    @BeforeEach
    void makeCompiler() {
        compiler = new KernelCompiler(new KernelCache(directory), new SourceCompiler() {

            @Override
            public String version() {
                return "fake 1";
            }

            @Override
            public byte[] compile(String name, CudaCode code, String architecture, List<String> options) {
                compiled.add(options);
                return (architecture + options).getBytes(StandardCharsets.UTF_8);
            }
        });
    }

    private String compile(CudaCode code) {
        return new String(compiler.compile("k", code, "sm_90"), StandardCharsets.UTF_8);
    }

    @Test
    void shouldCompileOncePerOptions() {
        assertEquals("sm_90[--std=c++17]", compile(CODE));
        assertEquals("sm_90[--std=c++17, --fmad=false]", compile(CODE.withOptions("--fmad=false")));
        assertEquals("sm_90[--std=c++17, -DN=1, --fmad=false]", compile(CODE.withOptions("-DN=1").withOptions("--fmad=false")));

        assertEquals("sm_90[--std=c++17, --fmad=false]", compile(CODE.withOptions("--fmad=false")));
        assertEquals("sm_90[--std=c++17]", compile(CODE));
        assertEquals(3, compiled.size(), compiled.toString());
    }

    @Test
    void shouldLoadOnceAheadOnAThreadOfItsOwn() throws InterruptedException {
        BlockingQueue<String> asked = new LinkedBlockingQueue<>();
        KernelCompiler missing = new KernelCompiler(new KernelCache(directory), new SourceCompiler() {

            @Override
            public String version() {
                asked.add(Thread.currentThread().getName());
                throw new DeviceException("no compiler");
            }

            @Override
            public byte[] compile(String name, CudaCode code, String architecture, List<String> options) {
                throw new AssertionError("compiled without a compiler");
            }
        });

        missing.prepare();
        missing.prepare();

        assertEquals("pgas-compiler", asked.poll(20, TimeUnit.SECONDS));
        assertThrows(DeviceException.class, () -> missing.compile("k", CODE, "sm_90"));
        assertEquals(Thread.currentThread().getName(), asked.poll(20, TimeUnit.SECONDS));
        assertEquals(null, asked.poll());
    }

    @Test
    void shouldLeaveTheStandardToTheProgram() {
        assertEquals("sm_90[--std=c++20]", compile(CODE.withOptions("--std=c++20")));
    }

    @Test
    void shouldCompileOncePerTextOfHeaders() {
        CudaCode one = CODE.withHeader("a.h", "1");

        compile(one);
        compile(one.withHeader("b.h", "2"));
        compile(CODE.withHeader("a.h", "2"));
        compile(CODE.withHeader("b.h", "2").withHeader("a.h", "1"));

        assertEquals(3, compiled.size());
    }

    @Test
    void shouldNotKeepWhatFilesMayChange() {
        CudaCode included = CODE.withOptions("-I/somewhere/include");

        assertArrayEquals(compiler.compile("k", included, "sm_90"), compiler.compile("k", included, "sm_90"));

        assertEquals(2, compiled.size());
    }
}
