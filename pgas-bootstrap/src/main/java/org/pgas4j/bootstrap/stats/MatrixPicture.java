package org.pgas4j.bootstrap.stats;

import java.util.Locale;

/** The communication matrix of a job as an SVG picture: a cell for each pair of ranks, darker for more bytes. */
public final class MatrixPicture {

    private static final int MAX_GROUPS = 256;
    private static final int SIDE = 640;
    private static final int LEFT = 70;
    private static final int TOP = 70;

    private MatrixPicture() {
    }

    /**
     * The picture. Shades are logarithmic, from 1 byte to the largest cell. Of more than {@value #MAX_GROUPS} ranks several
     * consecutive ones share a row and a column.
     */
    public static String of(JobStats stats) {
        int group = Math.ceilDiv(stats.ranks(), MAX_GROUPS);
        long[][] bytes = stats.matrix(group);
        long most = 1;
        for (long[] row : bytes) {
            for (long each : row) {
                most = Math.max(most, each);
            }
        }
        StringBuilder svg = new StringBuilder(String.format(Locale.ROOT,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\""
                        + " height=\"%d\" font-family=\"sans-serif\" font-size=\"12\">%n"
                        + "<text x=\"%d\" y=\"20\">bytes from the memory of the rank of a row to that of a "
                        + "column; darkest: %s</text>%n",
                LEFT + SIDE + 20, TOP + SIDE + 20, LEFT, Units.bytes(most)));
        double cell = (double) SIDE / bytes.length;
        int labels = Math.max(1, bytes.length / 16);
        for (int from = 0; from < bytes.length; from++) {
            if (from % labels == 0) {
                label(svg, LEFT - 8, TOP + (from + 0.5) * cell + 4, "end", from * group);
                label(svg, LEFT + (from + 0.5) * cell, TOP - 8, "middle", from * group);
            }
            for (int to = 0; to < bytes.length; to++) {
                cell(svg, LEFT + to * cell, TOP + from * cell, cell, shade(bytes[from][to], most),
                        "rank " + from * group + " to rank " + to * group + ": " + Units.bytes(bytes[from][to]));
            }
        }
        return svg.append("</svg>\n").toString();
    }

    private static void label(StringBuilder svg, double x, double y, String anchor, int rank) {
        svg.append(String.format(Locale.ROOT, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%d</text>%n", x, y, anchor, rank));
    }

    private static void cell(StringBuilder svg, double x, double y, double side, int shade, String title) {
        svg.append(String.format(Locale.ROOT, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" "
                + "fill=\"rgb(%d,%d,255)\" "
                + "stroke=\"#ddd\"><title>%s</title></rect>%n", x, y, side, side, shade, shade, title));
    }

    /** 255 for no bytes, 0 for the most. */
    private static int shade(long bytes, long most) {
        return bytes == 0 ? 255 : (int) Math.round(220 * (1 - Math.log(bytes + 1.0) / Math.log(most + 1.0)));
    }
}
