package org.pgas4j.runtime.blocks;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** Lines of blocks as C's printf would write them. */
class LogFormatTest {

    private static String format(String text, Object... values) {
        long types = values.length;
        long[] bits = new long[8];
        for (int i = 0; i < values.length; i++) {
            int type = values[i] instanceof Integer ? LogFormat.INT : values[i] instanceof Long ? LogFormat.LONG : LogFormat.DOUBLE;
            types |= (long) type << LogFormat.FIRST_TYPE + LogFormat.TYPE_BITS * i;
            bits[i] = values[i] instanceof Double real ? Double.doubleToRawLongBits(real) : ((Number) values[i]).longValue();
        }
        return LogFormat.format(text, types, bits);
    }

    @Test
    void shouldConvertIntegers() {
        assertEquals("a=-3 b=4294967293 c=fffffffd", format("a=%d b=%u c=%x", -3, -3, -3));
        assertEquals("18446744073709551615 FF 17", format("%llu %lX %o", -1L, 255, 15));
        assertEquals("[   7] [7   ] [0007] [-007] [+7]", format("[%4d] [%-4d] [%04d] [%04d] [%+d]", 7, 7, 7, -7, 7));
        assertEquals("x 0xff", format("%c %p", (int) 'x', 255L));
    }

    @Test
    void shouldConvertReals() {
        assertEquals("1.50 [  2.5] 1.000e+10", format("%.2f [%5.1f] %.3e", 1.5, 2.5, 1e10));
        assertEquals("0.1 NaN nan -inf", format("%g %g %f %e", 0.1, Double.NaN, Double.NaN, Double.NEGATIVE_INFINITY));
    }

    @Test
    void shouldEndATextBeforeACharacterThatIsCut() {
        byte[] bytes = "a\u00e9\u20ac\ud83d\ude00".getBytes(StandardCharsets.UTF_8); // of 1, 2, 3 and 4 bytes
        int[] whole = {0, 1, 1, 2, 2, 2, 3, 3, 3, 3, 5};
        for (int length = 0; length < whole.length; length++) {
            byte[] cut = Arrays.copyOf(bytes, length);
            assertEquals("a\u00e9\u20ac\ud83d\ude00".substring(0, whole[length]), LogFormat.decode(cut, true));
            assertEquals(new String(cut, StandardCharsets.UTF_8), LogFormat.decode(cut, false));
        }
    }

    @Test
    void shouldPrintWhatDoesNotFitAsItIs() {
        assertEquals("100% 2.5 7 %d", format("100%% %d %f %d", 2.5, 7));
        assertEquals("%s 1", format("%s %d", 1));
        assertEquals("50%d done 2.0", LogFormat.format("50%d done", LogFormat.PLAIN | 1 | LogFormat.DOUBLE << LogFormat.FIRST_TYPE,
                new long[] {Double.doubleToRawLongBits(2)}));
    }
}
