package io.github.kobe.sample;

import io.github.kobe.sample.Prometheus.Series;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Panels of the board as a picture, two in a row: drawn from what Prometheus answers, not by Grafana. */
final class BoardPicture {

    private static final int WIDTH = 460;
    private static final int HEIGHT = 230;
    private static final int LEFT = 50;
    private static final int RIGHT = 130;
    private static final int ABOVE = 40;
    private static final int BELOW = 30;
    private static final int PER_ROW = 2;
    private static final List<String> COLOURS =
            List.of("#0969da", "#cf222e", "#1a7f37", "#9a6700", "#8250df", "#bf3989", "#57606a", "#1b7c83");

    /** One line of a panel. */
    record Line(String name, Series series) {

        double most() {
            return series.values().values().stream()
                    .mapToDouble(Double::doubleValue)
                    .filter(Double::isFinite)
                    .max()
                    .orElse(0);
        }
    }

    private final StringBuilder panels = new StringBuilder();
    private final double from;
    private final double to;
    private int drawn;

    /** For a time, in seconds since the epoch. */
    BoardPicture(double from, double to) {
        this.from = from;
        this.to = to;
    }

    /** Draws a panel next, without the lines that are 0 all the time. */
    void add(String title, List<Line> all) {
        List<Line> lines = all.stream()
                .filter(line -> line.most() > 0)
                .limit(COLOURS.size())
                .toList();
        double most = lines.stream().mapToDouble(Line::most).max().orElse(1);
        panels.append(String.format(
                Locale.ROOT,
                "<g transform='translate(%d %d)'><text x='%d' y='24' font-weight='bold'>%s</text>%n",
                drawn % PER_ROW * WIDTH,
                drawn / PER_ROW * HEIGHT,
                LEFT,
                title));
        for (double share : new double[] {0, 0.5, 1}) {
            double height = y(share * most, most);
            panels.append(String.format(
                    Locale.ROOT,
                    "<path d='M%d %.1fH%d' stroke='#e5e7eb'/><text x='%d' y='%.1f' text-anchor='end'>%s</text>%n",
                    LEFT,
                    height,
                    WIDTH - RIGHT,
                    LEFT - 6,
                    height + 4,
                    number(share * most)));
        }
        panels.append(String.format(
                Locale.ROOT,
                "<text x='%d' y='%d' text-anchor='end'>%d s</text>%n",
                WIDTH - RIGHT,
                HEIGHT - BELOW + 16,
                Math.round(to - from)));
        for (int i = 0; i < lines.size(); i++) {
            panels.append(String.format(
                    Locale.ROOT,
                    "<path d='%s' fill='none' stroke-width='1.5' stroke='%s'/>%n",
                    path(lines.get(i).series(), most),
                    COLOURS.get(i)));
            panels.append(String.format(
                    Locale.ROOT,
                    "<text x='%d' y='%d' fill='%s'>%s</text>%n",
                    WIDTH - RIGHT + 8,
                    ABOVE + 10 + 16 * i,
                    COLOURS.get(i),
                    lines.get(i).name()));
        }
        panels.append("</g>\n");
        drawn++;
    }

    /** A line for each stretch without a gap. */
    private String path(Series series, double most) {
        List<String> points = new ArrayList<>();
        double last = Double.NaN;
        for (var point : series.values().entrySet()) {
            if (Double.isFinite(point.getValue())) {
                String step = point.getKey() - last <= 1 ? "L" : "M";
                points.add(
                        String.format(Locale.ROOT, "%s%.1f %.1f", step, x(point.getKey()), y(point.getValue(), most)));
                last = point.getKey();
            }
        }
        return points.stream().collect(Collectors.joining());
    }

    private double x(double seconds) {
        return LEFT + (seconds - from) / (to - from) * (WIDTH - RIGHT - LEFT);
    }

    private static double y(double value, double most) {
        return HEIGHT - BELOW - value / most * (HEIGHT - BELOW - ABOVE);
    }

    private static String number(double value) {
        return value == Math.rint(value)
                ? String.format(Locale.ROOT, "%.0f", value)
                : String.format(Locale.ROOT, "%.1f", value);
    }

    /** {@return the picture, with words for those who don't see it, and colours turned round where the screen is dark} */
    String svg() {
        int rows = (drawn + PER_ROW - 1) / PER_ROW;
        return String.format(Locale.ROOT, """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="11" \
            fill="#1f2328" role="img" aria-labelledby="title desc">
            <title id="title">Panels of the board while the sample is flooded</title>
            <desc id="desc">Charts of what is in flight, queued and rejected, of the oldest wait, of percentiles of the wait and \
            of saturation, over the seconds of a flood.</desc>
            <style>@media (prefers-color-scheme: dark) { svg { filter: invert(0.9) hue-rotate(180deg) } }</style>
            <rect width="100%%" height="100%%" fill="#fff"/>
            """, PER_ROW * WIDTH, rows * HEIGHT) + panels + "</svg>\n";
    }
}
