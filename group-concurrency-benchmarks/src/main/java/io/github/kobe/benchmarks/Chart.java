package io.github.kobe.benchmarks;

import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Collectors;

/** The panels of the curves as a picture: two in a row, both axes logarithmic, the same heights for all. */
final class Chart {

    private static final int WIDTH = 460;
    private static final int HEIGHT = 300;
    private static final int LEFT = 70;
    private static final int RIGHT = 20;
    private static final int ABOVE = 40;
    private static final int BELOW = 50;
    private static final int LEGEND = 40;
    private static final int PER_ROW = 2;

    private final List<Curves.Panel> panels;
    private final double least;
    private final double most;

    Chart(List<Curves.Panel> panels) {
        this.panels = panels;
        List<Double> heights = panels.stream()
                .flatMap(panel -> panel.points().values().stream())
                .flatMap(costs -> costs.values().stream())
                .map(Spread::median)
                .sorted()
                .toList();
        least = Math.log10(heights.getFirst()) - 0.1;
        most = Math.log10(heights.getLast()) + 0.1;
    }

    String svg() {
        int rows = (panels.size() + PER_ROW - 1) / PER_ROW;
        StringBuilder svg = new StringBuilder(String.format(
                Locale.ROOT,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\""
                    + " font-size=\"12\" fill=\"#1f2328\" role=\"img\" aria-labelledby=\"title\">%n<title"
                    + " id=\"title\">Nanoseconds per task by tasks, groups, producers and limit</title>%n<style>@media"
                    + " (prefers-color-scheme: dark) { svg { filter: invert(0.9) hue-rotate(180deg) } }</style>%n<rect"
                    + " width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>%n",
                PER_ROW * WIDTH,
                rows * HEIGHT + LEGEND));
        int x = LEFT;
        for (Curves.Line line : Curves.Line.values()) {
            svg.append(String.format(
                    Locale.ROOT,
                    "<rect x=\"%d\" y=\"16\" width=\"14\" height=\"4\" fill=\"%s\"/><text x=\"%d\""
                            + " y=\"22\">%s</text>%n",
                    x,
                    line.colour(),
                    x + 20,
                    line.title()));
            x += 60 + 7 * line.title().length();
        }
        for (int i = 0; i < panels.size(); i++) {
            svg.append(String.format(
                    Locale.ROOT,
                    "<g transform=\"translate(%d %d)\">%n",
                    i % PER_ROW * WIDTH,
                    i / PER_ROW * HEIGHT + LEGEND));
            svg.append(panel(panels.get(i))).append("</g>\n");
        }
        return svg.append("</svg>\n").toString();
    }

    private String panel(Curves.Panel panel) {
        List<Integer> numbers = List.copyOf(panel.points().keySet());
        StringBuilder svg = new StringBuilder();
        svg.append(String.format(
                Locale.ROOT,
                "<text x=\"%d\" y=\"%d\" font-weight=\"bold\">ns per task, by %s</text>%n",
                LEFT,
                ABOVE - 14,
                panel.title()));
        for (int decade = (int) Math.floor(least); decade <= most; decade++) {
            for (int step : new int[] {1, 2, 5}) {
                double nanos = step * Math.pow(10, decade);
                if (Math.log10(nanos) >= least && Math.log10(nanos) <= most) {
                    svg.append(String.format(
                            Locale.ROOT,
                            "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%3$.1f\" stroke=\"#e5e7eb\"/>"
                                    + "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>%n",
                            LEFT,
                            WIDTH - RIGHT,
                            y(nanos),
                            LEFT - 8,
                            y(nanos) + 4,
                            Figure.of(nanos)));
                }
            }
        }
        for (int number : numbers) {
            svg.append(String.format(
                    Locale.ROOT,
                    "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>%n",
                    x(number, numbers),
                    HEIGHT - BELOW + 20,
                    Figure.of(number)));
        }
        for (Curves.Line line : Curves.Line.values()) {
            svg.append(String.format(
                    Locale.ROOT,
                    "<polyline fill=\"none\" stroke-width=\"2\" stroke=\"%s\" points=\"%s\"/>%n",
                    line.colour(),
                    panel.points().entrySet().stream()
                            .map(point -> String.format(
                                    Locale.ROOT,
                                    "%.1f,%.1f",
                                    x(point.getKey(), numbers),
                                    y(Objects.requireNonNull(point.getValue().get(line))
                                            .median())))
                            .collect(Collectors.joining(" "))));
        }
        return svg.toString();
    }

    private static double x(int number, List<Integer> numbers) {
        double span = Math.log10(numbers.getLast()) - Math.log10(numbers.getFirst());
        double share = span == 0 ? 0.5 : (Math.log10(number) - Math.log10(numbers.getFirst())) / span;
        return LEFT + 20 + share * (WIDTH - RIGHT - LEFT - 40);
    }

    private double y(double nanos) {
        double share = (Math.log10(nanos) - least) / (most - least);
        return HEIGHT - BELOW - share * (HEIGHT - BELOW - ABOVE);
    }
}
