package org.pgas4j.examples.matmul;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
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
        "--dtype f16                      | Invalid value for option '--dtype'",
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

    @Test
    void shouldRefuseRectangularMatrix() throws IOException {
        Path file = file("%%MatrixMarket matrix array real general\n1 2\n1\n2\n");

        assertRefused(file + ": 1 x 2 (expected: square)", "--a", file.toString());
    }

    @Test
    void shouldRefuseMatricesOfDifferentSizes() throws IOException {
        Path a = file("%%MatrixMarket matrix array real general\n1 1\n1\n");
        Path b = file("%%MatrixMarket matrix array real symmetric\n2 2\n1\n2\n3\n");

        assertRefused(b + ": 2 x 2, but A (" + a.getFileName().toString().replace(".mtx", "") + ") is 1 x 1",
                "--a", a.toString(), "--b", b.toString());
    }

    @Test
    void shouldRefuseMoreRanksThanColumnsOfAFile() throws IOException {
        Path a = file("%%MatrixMarket matrix array real symmetric\n2 2\n1\n2\n3\n");

        assertRefused("more ranks than columns: 4 ranks, 2 columns", "--a", a.toString(), "--ranks", "4");
    }

    @Test
    void shouldRefuseValuesThatDoNotFitFloat() throws IOException {
        Path a = file("%%MatrixMarket matrix array real general\n1 1\n1e300\n");

        assertRefused(a.getFileName().toString().replace(".mtx", "") + ": a value of magnitude 1.0E300 does not fit",
                "--a", a.toString(), "--ranks", "1", "--dtype", "f32");
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
        CommandRun.requireHelp(Matmul.command(), "--iterations");
    }

    private void assertRefused(String message, String... args) {
        CommandRun.of(Matmul.command(), args).requireRefused("matmul: " + message);
    }

    private Path file(String text) throws IOException {
        return Files.writeString(Files.createTempFile(directory, "m", ".mtx"), text);
    }
}
