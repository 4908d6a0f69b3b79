package org.pgas4j.bench.result;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Instant;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ProvenanceTest {

    private static final Row ROW = new Row("rma", "put", "host", "host", "direct-host", 1, 8,
            new SampleTimes(1, 2, 3, 4, 1, 100, 1), Double.NaN, 0, Map.of());

    @Test
    void everyRowCarriesItsCircumstances() {
        Row row = Provenance.ofProgram("0123abc-dirty").stamp(ROW);
        for (String key : Provenance.KEYS) {
            assertTrue(row.fields().containsKey(key), key);
        }
        assertEquals("0123abc-dirty", row.text(Provenance.COMMIT));
        assertTrue(row.number(Provenance.PROCESSORS) >= 1 && row.number(Provenance.NUMA) >= 0);
        assertTrue(row.number(Provenance.CLOCK) > 0, row.json());
        assertFalse(Instant.parse(row.text(Provenance.TIME)).isAfter(Instant.now()));
        assertEquals(row.json(), Row.parse(row.json()).json());
    }

    /** Rows of one line have other times and loads; another machine or version is another line. */
    @Test
    void onlyMachineAndVersionMakeALine() {
        Row row = Provenance.ofProgram("a").stamp(ROW);
        Map<String, String> here = row.circumstances(Set.of());
        assertEquals(here, row.with(Provenance.TIME, "2001-01-01T00:00:00Z").with(Provenance.LOAD, 9.0)
                .with(Provenance.GOVERNOR, "other").circumstances(Set.of()));
        assertFalse(here.equals(row.with(Provenance.HOST, "other").circumstances(Set.of())));
        assertEquals("commit b", row.with(Provenance.COMMIT, "b").circumstances(Set.of()).get(Provenance.COMMIT));
    }

    @Test
    void tablesStayNarrow() {
        assertEquals(ROW.heading(), Provenance.ofProgram("a").stamp(ROW).heading());
    }
}
