package org.pgas4j.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
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
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgas4j.Backend;
import org.pgas4j.Pgas;
import org.pgas4j.PgasConfig;
import org.pgas4j.PgasKey;
import org.pgas4j.Rank;

/**
 * Compiles the Java snippets of all Markdown pages. A snippet is a whole source file, members of a class, or statements
 * of a rank's program. Statements may use {@code rank} and what a comment before them declares:
 * {@code <!-- given: int right, Buffer out -->}. Those of the page on UPC are run as well.
 */
@Timeout(60)
class SnippetsTest {

    private static final Path ROOT = Path.of("").toAbsolutePath().getParent();

    /** Number of snippets when this test was written; fewer means that the search is broken. */
    private static final int MIN_SNIPPETS = 7;

    /** Its snippets of statements are whole bodies of programs. */
    private static final String UPC_PAGE = "docs/upc.md";

    private static final String FENCE = "```java";
    private static final Pattern SNIPPET = Pattern.compile(
            "(?:^<!-- given: ((?:(?!-->).)*) -->\\n+)?^" + FENCE + "\\n(.*?)^```$", Pattern.MULTILINE | Pattern.DOTALL);

    private static final Pattern SOURCE_FILE = Pattern.compile(
            "package |import |((public|final|abstract|sealed) )*(class|interface|record|enum) ");
    private static final Pattern MEMBERS = Pattern.compile("(public|private|static) |void main\\(");

    /** No line break, so that lines of the source and of the snippet agree. */
    private static final String IMPORTS =
            "import java.lang.foreign.*; import java.lang.invoke.VarHandle; import java.util.*; import org.pgas4j.*; "
            + "import org.pgas4j.array.*; import org.pgas4j.clock.*; import org.pgas4j.io.*; import org.pgas4j.kernel.*; "
            + "import org.pgas4j.loop.*; import org.pgas4j.task.*; import java.nio.file.*; ";

    /** A snippet as a source file; {@code line} is that of its first line in the page. */
    private static final class Source extends SimpleJavaFileObject {

        private final String page;
        private final int line;
        private final String name;
        private final boolean isBody; // statements of a rank's program
        private final String text;

        Source(String page, int line, String given, String snippet) {
            super(URI.create("string:///" + page + "/" + line + Kind.SOURCE.extension), Kind.SOURCE);
            this.page = page;
            this.line = line;
            this.name = "Snippet" + Integer.toHexString(page.hashCode()) + "_" + line;
            String head = IMPORTS + "class " + name + " { ";
            this.isBody = !SOURCE_FILE.matcher(snippet).lookingAt() && !MEMBERS.matcher(snippet).lookingAt();
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
        try (JavaFileManager files = new NoOutput(compiler.getStandardFileManager(null, null, null))) {
            return errors(sources, compiler, files, List.of("-proc:none"));
        }
    }

    private static List<String> errors(List<Source> sources, JavaCompiler compiler, JavaFileManager files, List<String> options) {
        DiagnosticCollector<JavaFileObject> diagnostics = new DiagnosticCollector<>();
        compiler.getTask(null, files, diagnostics, options, null, sources).call();
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

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void shouldRunTheSnippetsOfTheUpcPage(int ranks, @TempDir Path classes) throws Exception {
        List<Source> sources = snippets(UPC_PAGE, pages().get(UPC_PAGE)).stream().filter(source -> source.isBody).toList();
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (JavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            assertEquals(List.of(), errors(sources, compiler, files, List.of("-proc:none", "-d", classes.toString())));
        }
        List<Method> programs = new ArrayList<>();
        try (URLClassLoader loader = new URLClassLoader(new URL[] {classes.toUri().toURL()}, getClass().getClassLoader())) {
            for (Source source : sources) {
                Method program = loader.loadClass(source.name).getDeclaredMethod("snippet", Rank.class);
                program.setAccessible(true);
                programs.add(program);
            }

            assertTrue(programs.size() >= MIN_SNIPPETS, "snippets of " + UPC_PAGE + " that can be run: " + programs.size());
            Pgas.run(new PgasConfig().ranks(ranks).device(Backend.HOST).set(PgasKey.CHECK, "full"), rank -> {
                for (int i = 0; i < programs.size(); i++) {
                    run(programs.get(i), UPC_PAGE + ":" + sources.get(i).line, rank);
                }
            });
        }
    }

    private static void run(Method program, String place, Rank rank) {
        try {
            Constructor<?> constructor = program.getDeclaringClass().getDeclaredConstructor();
            constructor.setAccessible(true);
            program.invoke(constructor.newInstance(), rank);
            rank.barrier();
        } catch (InvocationTargetException e) {
            throw new AssertionError("snippet at " + place + " on rank " + rank.rank(), e.getCause());
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(place, e);
        }
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
