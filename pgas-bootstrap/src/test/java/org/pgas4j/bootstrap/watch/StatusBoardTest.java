package org.pgas4j.bootstrap.watch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.pgas4j.bootstrap.Phase;

@Timeout(10)
class StatusBoardTest {

    @Test
    void shouldShareAFile(@TempDir Path folder) throws IOException {
        Path file = Files.write(folder.resolve("board"), new byte[(int) StatusBoard.bytes(3, 6)]);
        StatusBoard writer = StatusBoard.open(file, 3, 6);
        StatusBoard reader = StatusBoard.open(file, 3, 6);

        writer.activity(5).enter(Phase.BARRIER);
        writer.activity(3).exits();

        assertEquals("in barrier (collective 1)", reader.activity(5).look().text());
        assertEquals("starting", reader.activity(4).look().text());
        assertEquals(3, reader.exited(3, 6));
        assertEquals(-1, reader.exited(4, 6));
    }

    @Test
    void shouldRefuseAFileOfAnotherSize(@TempDir Path folder) throws IOException {
        Path file = Files.write(folder.resolve("board"), new byte[(int) StatusBoard.bytes(3, 6) - 1]);

        String why = assertThrows(IOException.class, () -> StatusBoard.open(file, 3, 6)).getMessage();

        assertEquals("status board of ranks 3..5 has 383 bytes (expected: 384)", why);
    }

    @Test
    void shouldHaveItsRanksOnly() {
        StatusBoard board = StatusBoard.local(3, 6);

        assertFalse(board.covers(2) || board.covers(6));
        assertTrue(board.covers(3) && board.covers(5));
    }

    @Test
    void shouldNamePhasesOfARunOfRanks() {
        StatusBoard board = StatusBoard.local(0, 8);
        board.set(0, 8, Phase.REGISTERING);
        assertEquals("registering", board.phases(0, 8).text());

        board.set(2, 4, Phase.PROGRAM);
        assertEquals("registering (rank 0), program (rank 2)", board.phases(0, 8).text());
        assertEquals("program", board.phases(2, 4).text());
    }

    @Test
    void shouldNameFourPhasesAtMost() {
        StatusBoard board = StatusBoard.local(0, 5);
        Phase[] phases = {Phase.STARTING, Phase.CONNECTING, Phase.RUNNING, Phase.REGISTERING, Phase.DIRECTORY};
        for (int rank = 0; rank < phases.length; rank++) {
            board.set(rank, rank + 1, phases[rank]);
        }

        assertEquals("starting (rank 0), connecting (rank 1), running (rank 2), registering (rank 3)", board.phases(0, 5).text());
    }
}
