package org.pgas4j.bench;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Sizes as settings have them: a number, or one with a unit k, m or g. */
final class SizeConverter implements ITypeConverter<Long> {

    private static final Pattern SIZE = Pattern.compile("([0-9]{1,18})([kmg]?)");

    @Override
    public Long convert(String text) {
        Matcher size = SIZE.matcher(text.toLowerCase(Locale.ROOT));
        if (size.matches()) {
            long number = Long.parseLong(size.group(1));
            int shift = size.group(2).isEmpty() ? 0 : 10 * (1 + "kmg".indexOf(size.group(2)));
            if (number > 0 && number <= Long.MAX_VALUE >> shift) {
                return number << shift;
            }
        }
        throw new TypeConversionException(text + " (expected: a number > 0, or one with a unit k, m or g, such as 8k)");
    }
}
