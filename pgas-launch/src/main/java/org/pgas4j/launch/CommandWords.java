package org.pgas4j.launch;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.pgas4j.UsageException;

/**
 * The arguments of this process's command as bytes: Java has replaced characters where an argument is no text in the
 * locale.
 */
final class CommandWords {

    private static final Path OWN = Path.of("/proc/self/cmdline");

    private CommandWords() {
    }

    /** @throws UsageException if an argument cannot be the one that the user typed */
    static void check() {
        byte[] words;
        try {
            words = Files.readAllBytes(OWN);
        } catch (IOException e) {
            System.getLogger("pgas.boot").log(System.Logger.Level.DEBUG, () -> OWN + " cannot be read", e);
            return;
        }
        check(words, Charset.forName(System.getProperty("sun.jnu.encoding")));
    }

    /** @param words arguments, each with a zero at its end */
    static void check(byte[] words, Charset locale) {
        for (int start = 0, end = 0; end < words.length; end++) {
            if (words[end] == 0) {
                check(words, start, end - start, locale);
                start = end + 1;
            }
        }
    }

    private static void check(byte[] words, int start, int length, Charset locale) {
        try {
            locale.newDecoder().decode(ByteBuffer.wrap(words, start, length));
        } catch (CharacterCodingException e) {
            throw new UsageException("'" + printable(words, start, length) + "' is no text in this locale (" + locale + "): Java"
                    + " cannot name such a file; set LC_ALL to a locale with its characters, such as C.UTF-8, or rename the file",
                    e);
        }
    }

    private static String printable(byte[] words, int start, int length) {
        StringBuilder text = new StringBuilder();
        for (char letter : new String(words, start, length, StandardCharsets.ISO_8859_1).toCharArray()) {
            text.append(letter >= ' ' && letter < 0x7f ? String.valueOf(letter) : String.format("\\x%02x", (int) letter));
        }
        return text.toString();
    }
}
