package org.pgas4j.bench.result;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import org.HdrHistogram.EncodableHistogram;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogReader;
import org.HdrHistogram.HistogramLogWriter;
import org.pgas4j.UsageException;

/**
 * All samples of rows as histograms of picoseconds, in files of HdrHistogram's log format. The tag of a line is the study and the
 * number of the row's line among the JSON lines beside it, from 1: {@code memput-12}.
 */
public final class HistogramLog {

    private HistogramLog() {
    }

    /** Compressed histogram as text without blanks. */
    public static String encode(Histogram histogram) {
        ByteBuffer buffer = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
        int bytes = histogram.encodeIntoCompressedByteBuffer(buffer, Deflater.BEST_SPEED);
        return Base64.getEncoder().encodeToString(Arrays.copyOf(buffer.array(), bytes));
    }

    /**
     * Reads what {@link #encode} wrote.
     *
     * @throws IllegalArgumentException if it is no histogram
     */
    public static Histogram decode(String text) {
        try {
            return Histogram.decodeFromCompressedByteBuffer(ByteBuffer.wrap(Base64.getDecoder().decode(text)), 0);
        } catch (DataFormatException | BufferUnderflowException e) {
            throw new IllegalArgumentException("no histogram: " + e, e);
        }
    }

    /**
     * All samples of a row.
     *
     * @throws IllegalArgumentException if they were not kept
     */
    public static Histogram of(Row row) {
        if (row.times().encoded() == null) {
            throw new IllegalArgumentException("a row without its samples: " + row.json());
        }
        return decode(row.times().encoded());
    }

    /** Writes the histograms of those rows that have one. */
    public static void write(Path file, String study, List<Row> rows) throws IOException {
        try (PrintStream out = new PrintStream(Files.newOutputStream(file), false, StandardCharsets.UTF_8)) {
            HistogramLogWriter log = new HistogramLogWriter(out);
            log.outputComment("[picoseconds; tags: study and line of the JSON lines]");
            log.outputLogFormatVersion();
            log.outputLegend();
            for (int i = 0; i < rows.size(); i++) {
                String encoded = rows.get(i).times().encoded();
                if (encoded != null) {
                    Histogram histogram = decode(encoded);
                    histogram.setTag(study + "-" + (i + 1));
                    log.outputIntervalHistogram(0, 0, histogram, 1e6);
                }
            }
            if (out.checkError()) {
                throw new IOException("not all of " + file + " could be written");
            }
        }
    }

    /**
     * Histograms of a file by tag, those of one tag merged.
     *
     * @throws UsageException if there is no such file or it is no log
     */
    public static Map<String, Histogram> read(Path file) {
        Map<String, Histogram> all = new LinkedHashMap<>();
        try {
            HistogramLogReader reader = new HistogramLogReader(file.toFile());
            for (EncodableHistogram next = reader.nextIntervalHistogram(); next != null; next = reader.nextIntervalHistogram()) {
                Histogram histogram = (Histogram) next;
                all.merge(next.getTag() == null ? "" : next.getTag(), histogram, (one, other) -> merged(List.of(one, other)));
            }
            reader.close();
        } catch (FileNotFoundException e) {
            throw new UsageException("no histograms " + file, e);
        } catch (RuntimeException e) {
            throw new UsageException("no histograms in " + file + ": " + e.getMessage(), e);
        }
        return all;
    }

    /** All samples of several histograms together: its percentiles are those of the samples as a whole. */
    public static Histogram merged(Collection<Histogram> parts) {
        Histogram whole = SampleTimes.histogram();
        parts.forEach(whole::add);
        return whole;
    }
}
