package org.pgas4j;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigDecimal;
import org.junit.jupiter.api.Test;

class Bfloat16Test {

    @Test
    void shouldKeepEveryBfloat16() {
        for (int bits = Short.MIN_VALUE; bits <= Short.MAX_VALUE; bits++) {
            float value = Bfloat16.toFloat((short) bits);
            if (Float.isNaN(value)) {
                assertTrue(Float.isNaN(Bfloat16.toFloat(Bfloat16.of(value))), "bits " + bits);
            } else {
                assertEquals((short) bits, Bfloat16.of(value), "bits " + bits);
            }
        }
    }

    @Test
    void shouldRoundToTheNearestAndTiesToEven() {
        for (int bits = 0; bits < 0x7f7f; bits += 3) {
            BigDecimal low = new BigDecimal(Bfloat16.toFloat((short) bits));
            BigDecimal high = new BigDecimal(Bfloat16.toFloat((short) (bits + 1)));
            float middle = low.add(high).divide(BigDecimal.TWO).floatValue();
            int even = bits % 2 == 0 ? bits : bits + 1;
            assertEquals((short) even, Bfloat16.of(middle), "between " + bits);
            assertEquals((short) bits, Bfloat16.of(Math.nextDown(middle)), "below the middle after " + bits);
            assertEquals((short) (bits + 1), Bfloat16.of(Math.nextUp(middle)), "above the middle after " + bits);
            assertEquals((short) (even | 0x8000), Bfloat16.of(-middle), "negative after " + bits);
        }
        assertEquals((short) 0x7f80, Bfloat16.of(Float.MAX_VALUE));
    }
}
