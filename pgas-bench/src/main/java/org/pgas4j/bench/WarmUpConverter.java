package org.pgas4j.bench;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.pgas4j.bench.study.Measuring;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Nanoseconds of a warm-up: a number with a unit us, ms or s, or {@code auto} for {@link Measuring#DETECTED}. */
final class WarmUpConverter implements ITypeConverter<Long> {

    private static final Pattern TIME = Pattern.compile("([0-9]{1,6})(us|ms|s)");

    @Override
    public Long convert(String text) {
        if (text.equals("auto")) {
            return Measuring.DETECTED;
        }
        Matcher time = TIME.matcher(text);
        if (!time.matches()) {
            throw new TypeConversionException(text + " (expected: a time such as 500ms, with a unit us, ms or s, or auto)");
        }
        return Long.parseLong(time.group(1)) * switch (time.group(2)) {
            case "us" -> 1_000L;
            case "ms" -> 1_000_000L;
            default -> 1_000_000_000L;
        };
    }
}
