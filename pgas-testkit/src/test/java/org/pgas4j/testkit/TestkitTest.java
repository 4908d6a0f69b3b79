package org.pgas4j.testkit;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.pgas4j.UsageException;

class TestkitTest {

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "contracts                       | unknown command 'contracts' (expected: contract, block, ",
        "weather air 1=a 2=b             | weather is a tool, not a program of ranks",
        "ordering --pairs 0              | --pairs 0 (expected: 1 or more)",
        "ordering --kind memory          | ordering: Invalid value for option '--kind': expected",
        "block --kind 4                  | --kind 4 (expected: 0..3)",
        "kernel-fuzz --batch 0           | --batch 0 (expected: 1..2000)",
        "kernel-fuzz --limit -1          | --limit -1 (expected: 0..1000000)",
        "soak --samples 10000001         | --samples 10000001 (expected: 1..10000000)",
        "packets                         | packets: Missing required option: ",
        "contract transfers              | unknown contract 'transfers' (expected: [transfer, ",
        "random-ops --no-such-option     | random-ops: Unknown option: ",
    })
    void shouldRefuseWrongWordsByName(String words, String message) {
        UsageException e = assertThrows(UsageException.class, () -> Testkit.config(List.of(words.split(" "))));

        assertTrue(e.getMessage().startsWith(message), e.getMessage());
    }
}
