package org.pgas4j.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgas4j.DeviceException;
import org.pgas4j.PgasTimeoutException;
import org.pgas4j.UsageException;
import org.pgas4j.bootstrap.Failures;
import org.pgas4j.bootstrap.JobSecret;
import org.pgas4j.bootstrap.ProcessLayout;

@Timeout(10)
class JobRecordTest {

    private final JobSecret secret = JobSecret.random();

    private JobRecord record(Path directory) {
        return new JobRecord("ab12", 4711, 1, new NodeShare(1, "b", 1, 2, new ProcessLayout(2, 5)), 99, 1_500, true, directory,
                directory, secret);
    }

    @Test
    void shouldReadItsLineAndNothingAfterIt() throws IOException {
        byte[] line = record(Path.of("/dev/shm/a b")).encode();
        byte[] more = new byte[line.length + 1];
        System.arraycopy(line, 0, more, 0, line.length);
        ByteArrayInputStream in = new ByteArrayInputStream(more);

        JobRecord read = JobRecord.read(in);

        assertEquals(1, in.available());
        assertEquals(new NodeShare(1, "b", 1, 2, new ProcessLayout(2, 5)), read.node());
        assertEquals(Path.of("/dev/shm/a b"), read.directory());
        assertEquals(Path.of("/dev/shm/a b"), read.board());
        assertEquals(secret.toHex(), read.secret().toHex());
        assertNull(JobRecord.read(new ByteArrayInputStream(record(null).encode())).directory());
        assertFalse(read.toString().contains(secret.toHex()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "\n", "hello\n", "PGAS4J-JOB-3\ta\tb\n",
            "PGAS4J-JOB-3\tj\tx\t0\t0\t\t0\t1\t1\t1\t1\t1\ttrue\t\t\t00\n",
            "PGAS4J-JOB-3\tj\t1\t0\t0\t\t0\t1\t2\t1\t1\t1\ttrue\t\t\t00\n"})
    void shouldRefuseWhatIsNoJob(String text) {
        assertThrows(UsageException.class, () ->
                JobRecord.read(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8))));
    }

    @Test
    void shouldNotReadForEver() {
        assertThrows(UsageException.class, () -> JobRecord.read(new ByteArrayInputStream(new byte[1 << 20])));
    }

    @Test
    void shouldMapFailuresToStatuses() {
        assertEquals(1, Failures.exitCode(new IllegalStateException()));
        assertEquals(3, Failures.exitCode(new OutOfMemoryError()));
        assertEquals(14, Failures.exitCode(new DeviceException("x")));
        assertEquals(15, Failures.exitCode(new PgasTimeoutException("x")));
        assertEquals("process killed by signal 9 (SIGKILL)", ExitStatus.describe(137, false));
        assertEquals("process killed by signal 33", ExitStatus.describe(161, false));
        assertEquals("process ended with status 255", ExitStatus.describe(255, false));
        assertEquals("the program called System.exit(137)", ExitStatus.describe(137, true));
    }
}
