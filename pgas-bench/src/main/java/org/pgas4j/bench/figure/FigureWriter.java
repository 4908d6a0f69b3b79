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
import java.util.DoubleSummaryStatistics;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.regex.Pattern;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.ChartEncoder;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.internal.chartpart.IChart;
import org.knowm.xchart.style.AxesChartStyler;
import org.knowm.xchart.style.Styler;

/** Draws figures as PNG and SVG; needs no display. */
public final class FigureWriter {

    public static final int WIDTH = 1200;
    public static final int HEIGHT = 800;

    /** A coordinate to a tenth, and what is beyond: most of a file. */
    private static final Pattern FRACTION = Pattern.compile("([0-9]\\.[0-9])[0-9]+");
    private static final double LOG_2 = Math.log(2);
    private static final int SMALL = 16;
    private static final int MIDDLE = 18;
    private static final int LARGE = 22;

    private static final Color[] COLORS = {new Color(0x1b1b1b), new Color(0x0072b2), new Color(0x56b4e9), new Color(0xd55e00),
        new Color(0xe69f00), new Color(0x009e73), new Color(0x66c2a5), new Color(0xcc79a7), new Color(0x8c564b),
        new Color(0x7f7f7f), new Color(0x9467bd), new Color(0xbcbd22)};

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
        return figure.axis() == Figure.Axis.NAMES ? bars(figure) : lines(figure);
    }

    /** Positions as powers of two on an even axis: decades of bytes say little. */
    private static IChart lines(Figure figure) {
        XYChart chart = new XYChartBuilder().width(WIDTH).height(HEIGHT).title(figure.title()).xAxisTitle(xTitle(figure))
                .yAxisTitle(figure.yTitle()).build();
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
        return chart;
    }

    private static IChart bars(Figure figure) {
        CategoryChart chart = new CategoryChartBuilder().width(WIDTH).height(HEIGHT).title(figure.title())
                .xAxisTitle(xTitle(figure)).yAxisTitle(figure.yTitle()).build();
        style(chart.getStyler(), figure);
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
        return chart;
    }

    private static String xTitle(Figure figure) {
        return figure.xTitle() + " (" + figure.samples() + ")";
    }

    private static DoubleSummaryStatistics values(Figure figure) {
        return figure.lineNames().stream().flatMap(line -> figure.positions().stream().map(x -> figure.at(line, x)))
                .filter(Objects::nonNull).mapToDouble(Double::doubleValue).summaryStatistics();
    }

    private static void style(AxesChartStyler styler, Figure figure) {
        styler.setYAxisLogarithmic(figure.logarithmic());
        // All names get a label, numbers as many as fit.
        styler.setXAxisTickMarkSpacingHint(figure.axis() == Figure.Axis.NAMES ? 1 : figure.axis() == Figure.Axis.BYTES ? 90 : 150);
        if (figure.logarithmic()) {
            // Whole decades: only they have labels.
            DoubleSummaryStatistics values = values(figure);
            styler.setYAxisMin(Math.pow(10, Math.floor(Math.log10(values.getMin()))));
            styler.setYAxisMax(Math.pow(10, Math.floor(Math.log10(values.getMax())) + 1));
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
