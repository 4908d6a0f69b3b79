package org.pgas4j.examples.matmul;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.pgas4j.examples.common.CommandRun;

/** Everything that ends before a job is started. */
@Timeout(30)
class MatmulUsageTest {

    @TempDir
    Path directory;

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "--processes 2                    | --processes 2: this is one process; start several with scripts/matmul",
        "--iterations 0                   | --iterations 0 (expected: >= 1)",
        "--warmup -1                      | --warmup -1 (expected: >= 0)",
        "--chunks -1                      | --chunks -1 (expected: >= 0)",
        "--chunks 2 --style user-level    | --chunks has no meaning with --style user-level",
        "--dtype f17                      | Invalid value for option '--dtype'",
        "--n 9 --dtype f16 --chunks 2     | --style user-level and --chunks have no meaning with global matrices",
        "--n 9 --grid 2x1 --ranks 2 --algorithm replicated | --grid 2x1 with --algorithm replicated (expected: 1x2",
        "--n 9 --algorithm reduce --block 2 | --block 2 with --algorithm reduce (expected: pull, summa, cannon or auto",
        "--n 9 --ranks 3 --algorithm cannon | --algorithm cannon on a grid of ",
        "--n 9 --irregular --grid 2x2     | --irregular takes neither --algorithm, --grid, --block",
        "--n 9 --transposed a --algorithm replicated | --transposed a has no meaning with --algorithm replicated",
        "--n 9 --irregular --kernel-ms -1 | --kernel-ms -1.0 (expected: 0..1000.0)",
        "--dtype int8                     | bcsstk13: --dtype int8 is for random matrices",
        "--shape 3,4                      | --shape 3,4 (expected: M,N,K",
        "--shape 3,4,5 --n 6              | --shape makes random matrices, --n square ones",
        "--n 9 --grid 2x                  | --grid 2x (expected: PxQ",
        "--n 9 --grid 2x2 --ranks 3       | --grid 2x2 of 4 ranks (expected: 3 ranks)",
        "--n 9 --dtype bf16 --out c.npy   | --out: .npy has no bfloat16",
        "--shape 900000000,900000000,900000000 | no memory for matrices of 900000000 x 900000000",
        "--style fast                     | Invalid value for option '--style'",
        "--n 0                            | --n 0 (expected: >= 1)",
        "--n 4 --a x.mtx                  | --n makes random matrices, --a and --b read files",
        "--n 3 --ranks 4                  | more ranks than columns: 4 ranks, 3 columns (expected: --ranks 1..3)",
        "--n 2000000        | no memory: the job takes",
        "--n 2000000000                   | no memory for matrices of 2000000000 x 2000000000",
        "--a absent.mtx                   | absent.mtx: no such file",
        "--out absent/c.npy               | --out absent/c.npy: cannot be written",
    })
    void shouldRefuseWhatIsWrong(String args, String message) {
        assertRefused(message, args.split(" +"));
    }

    /** Files a.mtx and b.mtx of these arrays. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "general;1 2;1;2     |                     |                      | a.mtx: 1 x 2 (expected: square)",
        "general;1 1;1       | symmetric;2 2;1;2;3 |                      | b.mtx: 2 x 2, but A (a) is 1 x 1",
        "symmetric;2 2;1;2;3 |                     | --ranks 4            | more ranks than columns: 4 ranks, 2 columns",
        "general;1 1;1e300   |                     | --ranks 1 --dtype f32| a: a value of magnitude 1.0E300 does not fit",
    })
    void shouldRefuseMatricesThatDoNotFit(String a, String b, String options, String message) throws IOException {
        List<String> args = new ArrayList<>(List.of("--a", file("a.mtx", a)));
        if (b != null) {
            args.addAll(List.of("--b", file("b.mtx", b)));
        }
        args.addAll(options == null ? List.of() : List.of(options.split(" ")));

        assertRefused(message.replaceFirst("^(?=[ab]\\.mtx)", directory + "/"), args.toArray(String[]::new));
    }

    /** A complete file takes the place of what had its name before: not of a device or a pipe. */
    @Test
    void shouldLeaveWhatIsNoFileAlone() throws IOException, InterruptedException {
        Path pipe = directory.resolve("pipe");
        assertEquals(0, new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor());

        assertRefused("--out " + pipe + ": cannot be written (expected: a file ", "--n", "8", "--ranks", "1", "--out", pipe.toString());

        assertTrue(Files.readAttributes(pipe, BasicFileAttributes.class).isOther());
    }

    @Test
    void shouldPrintHelp() {
        CommandRun.requireHelp(new Matmul(), "--iterations");
    }

    private void assertRefused(String message, String... args) {
        CommandRun.of(new Matmul(), args).requireRefused("matmul: " + message);
    }

    private String file(String name, String lines) throws IOException {
        return Files.writeString(directory.resolve(name), "%%MatrixMarket matrix array real " + lines.replace(';', '\n') + "\n").toString();
    }
}
