package org.pgas4j.bench.result;

import com.grack.nanojson.JsonObject;
import com.grack.nanojson.JsonParser;
import com.grack.nanojson.JsonParserException;
import com.grack.nanojson.JsonWriter;
import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** JSON objects without objects or lists in them, on one line each. */
public final class FlatJson {

    private FlatJson() {
    }

    /** One line; numbers with six digits after the point, null for what is no finite number. */
    public static String write(Map<String, Object> fields) {
        Map<String, Object> values = new LinkedHashMap<>();
        fields.forEach((key, value) -> values.put(key, !(value instanceof Double number) ? value
                : Double.isFinite(number) ? new BigDecimal(plain(number)) : null));
        return JsonWriter.string(values);
    }

    /** A value without quotes; empty for null and what is no finite number. */
    public static String plain(Object value) {
        if (value instanceof Double number) {
            return Double.isFinite(number) ? String.format(Locale.ROOT, "%.6f", number) : "";
        }
        return value == null ? "" : value.toString();
    }

    /**
     * Texts, {@link Long}, {@link Double}, {@link Boolean} and null by key, in order.
     *
     * @throws IllegalArgumentException if it is not one flat object
     */
    public static Map<String, Object> parse(String text) {
        try {
            JsonObject object = JsonParser.object().from(text);
            object.forEach((key, value) -> {
                if (value instanceof Map || value instanceof List) {
                    throw new IllegalArgumentException("'" + key + "' is not flat in " + text);
                }
            });
            object.replaceAll((_, value) -> value instanceof Integer number ? (Object) number.longValue() : value);
            return new LinkedHashMap<>(object);
        } catch (JsonParserException e) {
            throw new IllegalArgumentException(e.getMessage() + ": " + text, e);
        }
    }
}
