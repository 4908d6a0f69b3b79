package org.pgas4j.io;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AgreementTest {

    /** Characters of 1 to 4 bytes; half of a character of two chars is replaced. */
    @ParameterizedTest
    @CsvSource({"abc, 3, abc", "abcd, 3, abc", "'', 3, ''", "ab\u00e9, 3, ab", "ab\u00e9, 4, ab\u00e9", "a\u20acb, 3, a", "a\u20acb, 4, a\u20ac",
        "\ud83d\ude00x, 3, ''", "\ud83d\ude00x, 4, \ud83d\ude00", "\ud83dx, 3, ?x"})
    void shouldCutATextBehindAWholeCharacter(String text, int bytes, String expected) {
        assertEquals(expected, new String(Agreement.cut(text, bytes), StandardCharsets.UTF_8));
    }
}
