package org.pgas4j.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Compiles the Java snippets of all Markdown pages. A snippet is a whole source file, members of a class, or statements
 * of a rank's program. Statements may use {@code rank} and what a comment before them declares:
 * {@code <!-- given: int right, Buffer out -->}.
 */
@Timeout(60)
class SnippetsTest {

    private static final Path ROOT = Path.of("").toAbsolutePath().getParent();

    /** Number of snippets when this test was written; fewer means that the search is broken. */
    private static final int MIN_SNIPPETS = 7;

    private static final String FENCE = "```java";
    private static final Pattern SNIPPET = Pattern.compile(
            "(?:^<!-- given: ((?:(?!-->).)*) -->\\n+)?^" + FENCE + "\\n(.*?)^```$", Pattern.MULTILINE | Pattern.DOTALL);

    private static final Pattern SOURCE_FILE = Pattern.compile(
            "package |import |((public|final|abstract|sealed) )*(class|interface|record|enum) ");
    private static final Pattern MEMBERS = Pattern.compile("(public|private|static) |void main\\(");

    /** No line break, so that lines of the source and of the snippet agree. */
    private static final String IMPORTS =
            "import java.lang.foreign.*; import java.util.*; import org.pgas4j.*; import org.pgas4j.array.*; "
            + "import org.pgas4j.clock.*; import org.pgas4j.io.*; import org.pgas4j.kernel.*; import org.pgas4j.loop.*; "
            + "import org.pgas4j.task.*; import java.nio.file.*; ";

    /** A snippet as a source file; {@code line} is that of its first line in the page. */
    private static final class Source extends SimpleJavaFileObject {

        private final String page;
        private final int line;
        private final String text;

        Source(String page, int line, String given, String snippet) {
            super(URI.create("string:///" + page + "/" + line + Kind.SOURCE.extension), Kind.SOURCE);
            this.page = page;
            this.line = line;
            String head = IMPORTS + "class Snippet" + Integer.toHexString(page.hashCode()) + "_" + line + " { ";
            if (SOURCE_FILE.matcher(snippet).lookingAt()) {
                text = snippet;
            } else if (MEMBERS.matcher(snippet).lookingAt()) {
                text = head + snippet + "}";
            } else {
                String parameters = given == null ? "Rank rank" : "Rank rank, " + given.replace('\n', ' ');
                text = head + "void snippet(" + parameters + ") throws Exception { " + snippet + "}}";
            }
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }

        /** A snippet's public class has no file of its name. */
        @Override
        public boolean isNameCompatible(String simpleName, Kind kind) {
            return kind == Kind.SOURCE;
        }

        String describe(Diagnostic<?> error) {
            return page + ":" + (line + error.getLineNumber() - 1) + ": " + error.getMessage(Locale.ENGLISH);
        }
    }

    /** Writes no class file. */
    private static final class NoOutput extends ForwardingJavaFileManager<JavaFileManager> {

        NoOutput(JavaFileManager files) {
            super(files);
        }

        @Override
        public JavaFileObject getJavaFileForOutput(Location location, String name, JavaFileObject.Kind kind, FileObject sibling) {
            return new SimpleJavaFileObject(URI.create("string:///" + name.replace('.', '/') + kind.extension), kind) {
                @Override
                public OutputStream openOutputStream() {
                    return OutputStream.nullOutputStream();
                }
            };
        }
    }

    private static Map<String, String> pages() throws IOException {
        Map<String, String> pages = new TreeMap<>();
        try (Stream<Path> files = Files.walk(ROOT)) {
            for (Path file : files.filter(file -> file.toString().endsWith(".md")).toList()) {
                String page = ROOT.relativize(file).toString();
                if (!page.contains("target/")) {
                    pages.put(page, Files.readString(file));
                }
            }
        }
        return pages;
    }

    private static List<Source> snippets(String page, String text) {
        List<Source> found = new ArrayList<>();
        Matcher snippet = SNIPPET.matcher(text);
        while (snippet.find()) {
            int line = Math.toIntExact(text.substring(0, snippet.start(2)).lines().count()) + 1;
            found.add(new Source(page, line, snippet.group(1), snippet.group(2)));
        }
        assertEquals(text.lines().filter(line -> line.strip().startsWith(FENCE)).count(), found.size(),
                "snippets of " + page + ": a fence is indented, has options or has no end");
        return found;
    }

    private static List<String> errors(List<Source> sources) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        DiagnosticCollector<JavaFileObject> diagnostics = new DiagnosticCollector<>();
        try (JavaFileManager files = new NoOutput(compiler.getStandardFileManager(diagnostics, null, null))) {
            compiler.getTask(null, files, diagnostics, List.of("-proc:none"), null, sources).call();
        }
        return diagnostics.getDiagnostics().stream().filter(found -> found.getKind() == Diagnostic.Kind.ERROR)
                .map(found -> found.getSource() instanceof Source source ? source.describe(found) : found.toString()).toList();
    }

    @Test
    void shouldCompileEverySnippet() throws IOException {
        List<Source> sources = new ArrayList<>();
        pages().forEach((page, text) -> sources.addAll(snippets(page, text)));

        assertTrue(sources.size() >= MIN_SNIPPETS, "snippets in " + ROOT + ": " + sources.size());
        assertEquals("", String.join("\n", errors(sources)));
    }

    @Test
    void shouldNameFileAndLineOfAnError() throws IOException {
        String page = """
                text
                <!-- given: int right,
                     long offset -->
                ```java
                int left = right - 1;
                long wrong = offset + missing;
                ```
                """;

        List<String> errors = errors(snippets("docs/page.md", page));

        assertEquals(1, errors.size(), errors.toString());
        assertTrue(errors.getFirst().startsWith("docs/page.md:6: cannot find symbol"), errors.getFirst());
    }
}
