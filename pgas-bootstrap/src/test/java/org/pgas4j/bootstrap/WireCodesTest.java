package org.pgas4j.bootstrap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Golden values: numbers that JVMs send each other do not change with the order of constants. */
class WireCodesTest {

    private static final Abort ABORT = new Abort(0x0102030405060708L, 3, "n", new Phases(List.of(
            new Phases.OfRank(Phase.BARRIER, 2), new Phases.OfRank(Phase.PROGRAM, 3))), "m", 137, true);

    private static <E extends Enum<E>> Map<String, Integer> codes(E[] all, ToIntFunction<E> code) {
        return Arrays.stream(all).collect(Collectors.toMap(Enum::name, code::applyAsInt, (a, _) -> a,
                LinkedHashMap::new));
    }

    @Test
    void shouldKeepCodesOfPhases() {
        assertEquals("{STARTING=0, CONNECTING=1, RUNNING=2, REGISTERING=3, DIRECTORY=4, PROGRAM=5, TRANSFER=6,"
                + " BARRIER=7, BROADCAST=8, GATHER=9, REDUCE=10, ALL_REDUCE=11, ALLOCATION=12, COLLECTIVE_ALLOCATION=13,"
                + " NOTIFICATION=14, TEAM=15, END=16, CLOSING=17, CLOSED=18, MAIN=19, SERVING=20, JOINING=21,"
                + " LAUNCHING=22, WAITING=23, LOCK=24, REMOTE_CALL=25,"
                + " SCATTER=32, ALL_GATHER=33, EXCHANGE=34, PERMUTE=35, REDUCE_SCATTER=36, PREFIX_REDUCE=37, SORT=38}",
                codes(Phase.values(), Phase::code).toString());
        for (Phase phase : Phase.values()) {
            assertEquals(phase, Phase.of(phase.code()).orElseThrow());
        }
        assertTrue(Phase.of(26).isEmpty() && Phase.of(39).isEmpty() && Phase.of(-1).isEmpty());
    }

    @Test
    void shouldDescribeEveryPhase() throws IOException {
        String page = Files.readString(Path.of("..", "docs", "errors.md"));
        String phases = page.substring(page.indexOf("\n## Phases"));

        String described = phases.substring(0, phases.indexOf("\n## ", 1)).replace('\n', ' ');

        assertEquals(List.of(), Arrays.stream(Phase.values()).map(phase -> "`" + phase.text() + "`")
                .filter(phase -> !described.contains(phase)).toList());
    }

    @Test
    void shouldKeepCodesOfOutcomesAndRefusals() {
        assertEquals("{ANSWERED=0, FAILED=1, LOST=2}",
                codes(Message.Outcome.values(), Message.Outcome::code).toString());
        assertEquals("{NOT_PGAS=1, VERSION=2, SECRET=3, JOB=4, SIZE=5, RANGE=6, DUPLICATE=7, BUILD=8, LATE=9, LENGTH=10,"
                + " CROWDED=11, MALFORMED=12, GONE=13, TLS=14}", codes(Refusal.values(), Refusal::code).toString());
    }

    @Test
    void shouldKeepNumbersOfServices() {
        assertEquals(List.of(1, 3, 4, 5, 6), List.of(ServiceNumber.HEAP, ServiceNumber.PAIRS, ServiceNumber.STATUS,
                ServiceNumber.ADDRESSES, ServiceNumber.RACES));
    }

    @Test
    void shouldKeepTheLayoutOfMessages() {
        assertEquals("15000000" + "12" + "00" + "0700000000000000" + "01000000" + "00000000" + "02" + "6869",
                hex(new Message.Reply(7, 1, 0, Message.Outcome.LOST, new byte[] {'h', 'i'})));
        assertEquals("24000000" + "13" + "00" + "0807060504030201" + "03000000" + "89000000" + "01"
                + "02" + "0702000000" + "0503000000" + "01006e" + "01006d", hex(new Message.Failed(ABORT)));
    }

    @Test
    void shouldKeepTheIdOfAFailure() {
        Message sent = Message.decode(Message.Failed.TYPE, Message.encode(new Message.Failed(ABORT)).skipBytes(6));

        assertEquals(ABORT, ((Message.Failed) sent).cause());
        assertEquals("barrier (rank 2), program (rank 3)", ((Message.Failed) sent).cause().phases().text());
    }

    @Test
    void shouldRefuseAnUnknownPhase() {
        byte[] bytes = ByteBufUtil.getBytes(Message.encode(new Message.Failed(ABORT)).skipBytes(6));
        bytes[18] = 99; // the first phase

        ProtocolException refused = assertThrows(ProtocolException.class, () ->
                Message.decode(Message.Failed.TYPE, Unpooled.wrappedBuffer(bytes)));
        assertTrue(refused.getMessage().contains("phase 99"), refused.getMessage());
    }

    private static String hex(Message message) {
        return HexFormat.of().formatHex(ByteBufUtil.getBytes(Message.encode(message)));
    }
}
