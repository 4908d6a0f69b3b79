package org.pgas4j.bench.figure;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.MathContext;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.DoubleSummaryStatistics;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.knowm.xchart.AnnotationText;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.CategorySeries;
import org.knowm.xchart.ChartEncoder;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.internal.chartpart.AxesChart;
import org.knowm.xchart.internal.chartpart.IChart;
import org.knowm.xchart.style.AxesChartStyler;
import org.knowm.xchart.style.Styler;
import org.knowm.xchart.style.markers.Marker;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** Draws figures as PNG and SVG; needs no display. */
public final class FigureWriter {

    /** Pixels of a figure, more if its names need more. */
    public static final int WIDTH = 1200;
    public static final int HEIGHT = 800;

    /** A coordinate to a tenth, and what is beyond: most of a file. */
    private static final Pattern FRACTION = Pattern.compile("([0-9]\\.[0-9])[0-9]+");
    private static final double LOG_2 = Math.log(2);
    private static final int FEW_DECADES = 2;
    private static final String SPREAD = ", least and most at ";
    private static final int TINY = 13;
    private static final int SMALL = 16;
    private static final int MIDDLE = 18;
    private static final int LARGE = 22;

    // Pixels that the widest of texts need: a letter of the legend and of the title of the axis, and what is beside both.
    private static final int LETTER_OF_LEGEND = 9;
    private static final int LETTER_OF_TITLE = 11;
    private static final int BESIDE = 180;
    private static final int LETTER_OF_NAME = 10;
    private static final int BETWEEN_NAMES = 12;
    private static final int LINE_OF_LEGEND = 26;

    private static final Color[] COLORS = {new Color(0x1b1b1b), new Color(0x0072b2), new Color(0x56b4e9), new Color(0xd55e00),
        new Color(0xe69f00), new Color(0x009e73), new Color(0x66c2a5), new Color(0xcc79a7), new Color(0x8c564b),
        new Color(0x7f7f7f), new Color(0x9467bd), new Color(0xbcbd22)};

    /** Lines that have the same color have another of these. */
    private static final Marker[] MARKERS = {SeriesMarkers.CIRCLE, SeriesMarkers.SQUARE, SeriesMarkers.DIAMOND,
        SeriesMarkers.CROSS};

    private FigureWriter() {
    }

    /** Writes DIR/NAME.png and DIR/NAME.svg. */
    public static void write(Figure figure, Path dir) throws IOException {
        System.setProperty("java.awt.headless", "true");
        IChart chart = chart(figure);
        Files.write(dir.resolve(figure.name() + ".png"), ChartEncoder.getBytes(chart, "png"));
        String svg = new String(ChartEncoder.getBytes(chart, "svg"), StandardCharsets.UTF_8);
        Files.writeString(dir.resolve(figure.name() + ".svg"), FRACTION.matcher(svg).replaceAll("$1"));
    }

    /** The chart that is drawn. */
    public static IChart chart(Figure figure) {
        return figure.axis() != Figure.Axis.NAMES ? lines(figure)
                : figure.logarithmic() || figure.hasSpread() ? dots(figure) : bars(figure);
    }

    /** Positions as powers of two on an even axis: decades of bytes say little. */
    private static IChart lines(Figure figure) {
        XYChart chart = new XYChartBuilder().width(width(figure)).height(height(figure)).title(figure.title())
                .xAxisTitle(xTitle(figure)).yAxisTitle(figure.yTitle()).build();
        style(chart.getStyler(), figure);
        chart.getStyler().setXAxisTickLabelsFormattingFunction(x -> figure.label((double) Math.round(Math.pow(2, x))));
        for (String line : figure.lineNames()) {
            List<Double> xs = new ArrayList<>();
            List<Double> ys = new ArrayList<>();
            for (Comparable<?> x : figure.positions()) {
                if (figure.at(line, x) != null) {
                    xs.add(Math.log((Double) x) / LOG_2);
                    ys.add(figure.at(line, x));
                }
            }
            chart.addSeries(line, xs, ys).setLineWidth(2.5f);
        }
        for (String line : figure.lineNames()) {
            whiskers(chart, figure, line);
        }
        return annotated(chart, figure);
    }

    private static CategoryChart categories(Figure figure) {
        CategoryChart chart = new CategoryChartBuilder().width(width(figure)).height(height(figure)).title(figure.title())
                .xAxisTitle(xTitle(figure)).yAxisTitle(figure.yTitle()).build();
        style(chart.getStyler(), figure);
        return chart;
    }

    /** Names as columns of dots: bars on a logarithmic axis would have lengths that mean nothing. */
    private static IChart dots(Figure figure) {
        CategoryChart chart = categories(figure);
        chart.getStyler().setDefaultSeriesRenderStyle(CategorySeries.CategorySeriesRenderStyle.Scatter);
        List<Comparable<?>> positions = figure.positions();
        List<String> names = positions.stream().map(figure::label).toList();
        for (String line : figure.lineNames()) {
            chart.addSeries(line, names, positions.stream().map(x -> figure.at(line, x)).toList())
                    .setMarker(MARKERS[figure.lineNames().indexOf(line) / COLORS.length % MARKERS.length])
                    .setMarkerColor(color(figure, line));
            if (figure.hasSpread()) {
                end(chart, figure, line, 0, ", least").setMarker(SeriesMarkers.TRIANGLE_UP);
                end(chart, figure, line, 1, ", most").setMarker(SeriesMarkers.TRIANGLE_DOWN);
            }
        }
        return annotated(chart, figure);
    }

    /** The least or the most of repeated launches at each position of a line. */
    private static CategorySeries end(CategoryChart chart, Figure figure, String line, int end, String name) {
        List<Double> values = new ArrayList<>();
        for (Comparable<?> x : figure.positions()) {
            double[] spread = figure.spreadAt(line, x);
            values.add(spread == null ? null : (Double) spread[end]);
        }
        CategorySeries series = chart.addSeries(line + name, figure.positions().stream().map(figure::label).toList(), values);
        series.setMarkerColor(color(figure, line)).setShowInLegend(false);
        return series;
    }

    private static Color color(Figure figure, String line) {
        return COLORS[figure.lineNames().indexOf(line) % COLORS.length];
    }

    /** A vertical stroke from the least to the most of repeated launches, at each position of a line. */
    private static void whiskers(XYChart chart, Figure figure, String line) {
        for (Comparable<?> x : figure.positions()) {
            double[] spread = figure.spreadAt(line, x);
            if (spread != null) {
                double place = Math.log((Double) x) / LOG_2;
                XYSeries stroke = chart.addSeries(line + SPREAD + figure.label(x), new double[] {place, place}, spread);
                stroke.setMarker(SeriesMarkers.NONE).setLineColor(color(figure, line)).setLineStyle(new BasicStroke(1.5f))
                        .setShowInLegend(false);
            }
        }
    }

    /** Machine, date and version, above the title. */
    private static <C extends AxesChart<?, ?>> C annotated(C chart, Figure figure) {
        if (!figure.provenance().isEmpty()) {
            chart.getStyler().setAnnotationTextFont(font(Font.PLAIN, TINY));
            chart.addAnnotation(new AnnotationText(figure.provenance(), chart.getWidth() / 2.0,
                    chart.getHeight() - TINY / 2.0 - 1, true));
        }
        return chart;
    }

    private static IChart bars(Figure figure) {
        CategoryChart chart = categories(figure);
        chart.getStyler().setAvailableSpaceFill(0.8);
        List<Comparable<?>> positions = figure.positions();
        List<String> names = positions.stream().map(figure::label).toList();
        for (String line : figure.lineNames()) {
            List<Double> values = new ArrayList<>();
            for (Comparable<?> x : positions) {
                values.add(figure.at(line, x));
            }
            chart.addSeries(line, names, values);
        }
        return annotated(chart, figure);
    }

    /** Enough for the legend, and beside it for the title of the axis and its names, which would be cut or lie over each other. */
    private static int width(Figure figure) {
        int legend = LETTER_OF_LEGEND * longest(figure.lineNames().stream());
        int title = LETTER_OF_TITLE * xTitle(figure).length();
        int name = BETWEEN_NAMES + LETTER_OF_NAME * longest(figure.positions().stream().map(figure::label));
        int names = figure.axis() == Figure.Axis.NAMES ? name * figure.positions().size() : 0;
        return Math.max(WIDTH, legend + BESIDE + Math.max(names, title));
    }

    private static int longest(Stream<String> names) {
        return names.mapToInt(String::length).max().orElse(0);
    }

    /** Enough for the legend. */
    private static int height(Figure figure) {
        return Math.max(HEIGHT, LINE_OF_LEGEND * (figure.lineNames().size() + 2));
    }

    private static String xTitle(Figure figure) {
        return figure.xTitle() + " (" + figure.samples() + ")";
    }

    private static DoubleSummaryStatistics values(Figure figure) {
        return figure.lineNames().stream().flatMap(line -> figure.positions().stream().flatMap(x -> {
            double[] spread = figure.spreadAt(line, x);
            return spread != null ? Arrays.stream(spread).boxed() : Stream.ofNullable(figure.at(line, x));
        })).mapToDouble(Double::doubleValue).summaryStatistics();
    }

    private static void style(AxesChartStyler styler, Figure figure) {
        styler.setYAxisLogarithmic(figure.logarithmic());
        // All names get a label, numbers as many as fit.
        styler.setXAxisTickMarkSpacingHint(figure.axis() == Figure.Axis.NAMES ? 1 : figure.axis() == Figure.Axis.BYTES ? 90 : 150);
        if (figure.logarithmic()) {
            // Whole decades have labels; where there are few, what is between them as well.
            DoubleSummaryStatistics values = values(figure);
            double least = Math.floor(Math.log10(values.getMin()));
            double most = Math.floor(Math.log10(values.getMax())) + 1;
            styler.setYAxisMin(Math.pow(10, least)).setYAxisMax(Math.pow(10, most));
            styler.setYAxisLogarithmicDecadeOnly(most - least > FEW_DECADES);
            styler.setYAxisTickLabelsFormattingFunction(y -> y >= 1 ? String.format(Locale.ROOT, "%,.0f", y)
                    : BigDecimal.valueOf(y).round(new MathContext(3)).stripTrailingZeros().toPlainString());
        }
        styler.setPlotGridLinesStroke(new BasicStroke(1)).setPlotGridLinesColor(new Color(0xe4e4e4));
        styler.setSeriesColors(COLORS);
        styler.setAxisTitleFont(font(Font.BOLD, MIDDLE)).setAxisTickLabelsFont(font(Font.PLAIN, SMALL));
        styler.setChartTitleFont(font(Font.BOLD, LARGE)).setLegendFont(font(Font.PLAIN, SMALL))
                .setLegendPosition(Styler.LegendPosition.OutsideE)
                .setChartBackgroundColor(Color.WHITE).setPlotBackgroundColor(Color.WHITE).setLegendBorderColor(Color.WHITE)
                .setMarkerSize(8);
    }

    private static Font font(int style, int size) {
        return new Font(Font.SANS_SERIF, style, size);
    }
}
