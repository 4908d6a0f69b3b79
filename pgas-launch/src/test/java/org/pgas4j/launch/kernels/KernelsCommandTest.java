package org.pgas4j.launch.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.pgas4j.GridKernel;
import org.pgas4j.GridRank;
import org.pgas4j.SharedFloats;
import org.pgas4j.kernel.DoubleKernel;
import org.pgas4j.kernel.FastMath;
import org.pgas4j.kernel.IndexKernel;
import org.pgas4j.kernel.KernelThread;
import org.pgas4j.kernel.ThreadKernel;
import picocli.CommandLine;

/** The list of a class's kernels, good and bad. */
@Timeout(300)
class KernelsCommandTest {

    /** Kernels that are good. */
    static final class Good {

        private Good() {
        }

        static List<Object> kernels(SharedFloats a, float s) {
            IndexKernel scale = i -> a.put(i, s * a.get(i));
            DoubleKernel square = (DoubleKernel & FastMath) i -> a.get(i) * a.get(i);
            ThreadKernel grid = Good::grid;
            return List.of(scale, square, grid);
        }

        static void grid(KernelThread self) {
            self.sync();
        }

        /** No lambda expression names it. */
        static void other(SharedFloats a, KernelThread self) {
            a.put(self.global(), self.warpSum(1f));
        }
    }

    /** Kernels of which two are bad. */
    static final class Bad {

        private int field = 1;

        List<Object> kernels() {
            IndexKernel text = i -> String.valueOf(i).length();
            IndexKernel own = i -> Math.abs(field + i);
            IndexKernel good = i -> Math.abs(i);
            return List.of(text, own, good);
        }
    }

    /** Programs of blocks. */
    static final class Blocks {

        private Blocks() {
        }

        static List<Object> programs(SharedFloats a) {
            GridKernel ring = self -> ring(a, 3, self);
            GridKernel bad = self -> self.ptr(0, 0);
            return List.of(ring, bad);
        }

        static void ring(SharedFloats a, int tag, GridRank self) {
            a.put(self.rank(GridRank.Comm.WORLD), tag);
            self.signal(GridRank.Comm.WORLD, (self.rank(GridRank.Comm.WORLD) + 1) % self.ranks(GridRank.Comm.WORLD), tag);
            self.awaitNotifications(tag, 1);
        }
    }

    private record Result(int status, String out, String err) {
    }

    private static Result run(String... args) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int status = new CommandLine(new KernelsCommand()).setCaseInsensitiveEnumValuesAllowed(true).setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err)).execute(args);
        return new Result(status, out.toString(), err.toString());
    }

    @Test
    void shouldListGoodKernels() {
        Result result = run(Good.class.getName());
        assertEquals(0, result.status(), result.out() + result.err());
        List<String> lines = result.out().lines().toList();
        assertEquals(5, lines.size(), result.out());
        assertTrue(lines.get(0).matches("ok       KernelsCommandTest.java:\\d+  KernelsCommandTest\\$Good.kernels  loop"), result.out());
        assertTrue(lines.get(1).endsWith("Good.kernels  reduce doubles, fast"), result.out());
        assertTrue(lines.get(2).endsWith("Good.grid  grid"), result.out());
        assertTrue(lines.get(3).endsWith("Good.other  grid"), result.out());
        assertTrue(lines.get(4).startsWith("4 kernels, 0 of them bad, by "), result.out());
    }

    @Test
    void shouldNameRefusals() {
        Result result = run("--compiler=none", Bad.class.getName());
        assertEquals(1, result.status(), result.out() + result.err());
        assertTrue(result.out().contains("refused  KernelsCommandTest.java:"), result.out());
        assertTrue(result.out().contains("it uses a field or a method of its object"), result.out());
        assertTrue(result.out().contains("3 kernels, 2 of them bad, by no compiler"), result.out());
    }

    @Test
    void shouldListBlockPrograms() {
        Result result = run("--compiler=none", Blocks.class.getName());
        assertEquals(1, result.status(), result.out() + result.err());
        List<String> lines = result.out().lines().toList();
        assertEquals(5, lines.size(), result.out());
        assertTrue(lines.get(0).matches("ok       .*Blocks.programs  blocks"), result.out());
        assertTrue(lines.get(1).matches("refused  .*Blocks.programs  blocks"), result.out());
        assertTrue(lines.get(2).contains("use part(window, target), which is a Buffer"), result.out());
        assertTrue(lines.get(3).matches("ok       .*Blocks.ring  blocks"), result.out());
    }

    @Test
    void shouldPrintTheSourceAndJson() {
        Result result = run("--compiler=none", "--print", "--json", Good.class.getName());
        assertTrue(result.out().contains("{\"verdict\":\"ok\",\"file\":\"KernelsCommandTest.java\",\"line\":"), result.out());
        assertTrue(result.out().contains("extern \"C\" PGAS_KERNEL pgas_KernelsCommandTest_Good_kernels("), result.out());
    }

    @Test
    void shouldRefuseClassesThatAreMissing() {
        Result result = run("org.pgas4j.Missing");
        assertEquals(2, result.status());
        assertTrue(result.err().contains("no class org.pgas4j.Missing; give its jar or folder by --class-path"), result.err());
    }

    @Test
    void shouldExplainItselfWithin80Columns() {
        Result result = run("--help");
        assertEquals(0, result.status());
        assertTrue(result.out().lines().allMatch(line -> line.length() <= 80), result.out());
    }
}
