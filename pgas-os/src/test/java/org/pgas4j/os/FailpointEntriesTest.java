package org.pgas4j.os;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(10)
class FailpointEntriesTest {

    /** Actions of a hit by a rank. */
    private static List<String> hit(Map<String, List<Failpoint.Entries.Point>> points, String name, int rank) {
        return Failpoint.Entries.due(points, name, wanted -> wanted < 0 || wanted == rank).stream()
                .map(point -> point.action() + "=" + point.number()).toList();
    }

    @Test
    void shouldKeepTheEntriesOfEachRankOfAPlace() {
        var points = Failpoint.Entries.parse("put@0:delay=7, put@1:kill,get:exit=3");

        assertEquals(List.of("delay=7"), hit(points, Failpoint.PUT, 0));
        assertEquals(List.of("kill=0"), hit(points, Failpoint.PUT, 1));
        assertEquals(List.of(), hit(points, Failpoint.PUT, 2));
        assertEquals(List.of("exit=3"), hit(points, Failpoint.GET, 2));
        assertEquals(List.of(), hit(points, Failpoint.BARRIER, 0));
    }

    @Test
    void shouldActOnTheHitOfThatNumberOnly() {
        var points = Failpoint.Entries.parse("notify@1#2:throw,notify@1#4:hang");
        List<List<String>> seen = new ArrayList<>();

        for (int i = 0; i < 5; i++) {
            hit(points, Failpoint.NOTIFY, 0); // does not count
            seen.add(hit(points, Failpoint.NOTIFY, 1));
        }

        assertEquals(List.of(List.of(), List.of("throw=0"), List.of(), List.of("hang=0"), List.of()), seen);
    }

    @Test
    void shouldActInTheOrderOfTheEntries() {
        var points = Failpoint.Entries.parse("close:delay=5,close@3#1:halt=9,close:stop");

        assertEquals(List.of("delay=5", "halt=9", "stop=0"), hit(points, Failpoint.CLOSE, 3));
        assertEquals(List.of("delay=5", "stop=0"), hit(points, Failpoint.CLOSE, 3));
    }

    @Test
    void shouldTakeNothingForNothing() {
        assertTrue(Failpoint.Entries.parse(" ").isEmpty());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "put", "put:", "put:die", "put@x:kill", "put#:kill", "sleep:kill", "put:exit",
        "put:kill=1"})
    void shouldRefuseAnEntryAndNameIt(String entry) {
        String why = assertThrows(IllegalArgumentException.class,
                () -> Failpoint.Entries.parse("get:kill," + entry + ",close:stop")).getMessage();

        assertTrue(why.contains(Failpoint.PROPERTY) && why.contains("'" + entry + "'"), why);
    }
}
