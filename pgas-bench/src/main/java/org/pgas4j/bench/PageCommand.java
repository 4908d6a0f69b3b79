package org.pgas4j.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.pgas4j.UsageException;
import org.pgas4j.bench.figure.Tables;
import org.pgas4j.bench.result.Row;
import org.pgas4j.launch.command.Version;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Makes the tables of pages in Markdown anew, of the JSON lines that their marks name. */
@Command(name = "page", mixinStandardHelpOptions = true, versionProvider = Version.class, description = "Makes tables of pages anew. A table"
        + " stands between <!-- table NAME of FILE.jsonl --> and <!-- end of table -->; FILE is relative to the page.")
final class PageCommand implements Callable<Integer> {

    private static final Pattern TABLE = Pattern.compile("(<!-- table (\\S+) of (\\S+) -->\n).*?(<!-- end of table -->)",
            Pattern.DOTALL);

    @Parameters(arity = "1..*", paramLabel = "PAGE", description = "pages, Markdown")
    private List<Path> pages;

    @Override
    public Integer call() {
        for (Path page : pages) {
            try {
                Files.writeString(page, remade(page));
            } catch (NoSuchFileException e) {
                throw new UsageException("no page " + page, e);
            } catch (IOException e) {
                throw new UncheckedIOException("page " + page, e);
            } catch (IllegalArgumentException e) {
                throw new UsageException("page " + page + ": " + e.getMessage(), e);
            }
        }
        return 0;
    }

    /** The text of a page with tables made of the rows there are now. */
    static String remade(Path page) throws IOException {
        Matcher table = TABLE.matcher(Files.readString(page));
        StringBuilder text = new StringBuilder();
        while (table.find()) {
            List<Row> rows = Row.read(page.resolveSibling(table.group(3)));
            table.appendReplacement(text, Matcher.quoteReplacement(table.group(1) + "\n"
                    + Tables.of(table.group(2), rows).markdown() + "\n" + table.group(4)));
        }
        return table.appendTail(text).toString();
    }
}
