package io.github.kobe.sample.flood;

import io.github.kobe.sample.flood.Answers.Answer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/**
 * Two floods as a moving picture, one below the other: each line is a request of a neighbour, from when it was sent to when it
 * was answered, and each dot is a report of the flooding tenant. Time passes by a veil that moves away, by CSS alone; whoever
 * wants no motion sees all at once.
 */
final class FloodFilm {

    private static final int WIDTH = 920;
    private static final int LEFT = 130;
    private static final int RIGHT = 24;
    private static final int TRACK = WIDTH - LEFT - RIGHT;
    private static final int LANE = 28;
    private static final int HEAD = 58;
    private static final int PANEL = 5 * LANE + 66;
    private static final int ROWS = 11;
    private static final double ROW = 2.2;

    /** The film is so much shorter than what it shows; the last part of it is a rest. */
    private static final double SHORTENED = 0.8;

    /** What takes longer is drawn as a wait. */
    private static final double A_SECOND = 1e9;

    /** The film's words. */
    enum Words {
        ENGLISH(
                "One tenant floods a report service, without limits and with them",
                "Each line is a request, from sent to answered; red: more than a second. Each dot is a report of acme.",
                "Without limits",
                "With group-concurrency",
                "acme: %,d reports",
                "acme: %,d reports; %,d requests answered 429",
                "the flood begins",
                "%d s"),
        CHINESE(
                "一个租户向报表服务涌入大量请求：不设限制与设限制",
                "每条线是一个请求，从发出到得到应答；超过一秒为红色。每个点是 acme 的一份报表。",
                "不设限制",
                "使用 group-concurrency",
                "acme：%,d 份报表",
                "acme：%,d 份报表；%,d 个请求返回 429",
                "洪峰开始",
                "%d 秒");

        private final String title;
        private final String legend;
        private final String without;
        private final String with;
        private final String reports;
        private final String refusals;
        private final String begins;
        private final String seconds;

        Words(
                String title,
                String legend,
                String without,
                String with,
                String reports,
                String refusals,
                String begins,
                String seconds) {
            this.title = title;
            this.legend = legend;
            this.without = without;
            this.with = with;
            this.reports = reports;
            this.refusals = refusals;
            this.begins = begins;
            this.seconds = seconds;
        }
    }

    /**
     * What was answered in one run, first the flooding tenant and then its neighbours.
     *
     * @param alone before the flood
     * @param flooded in the flood
     */
    record Run(List<Answers> alone, List<Answers> flooded) {

        private List<Answer> of(int tenant) {
            List<Answer> all = new ArrayList<>(alone.get(tenant).all());
            all.addAll(flooded.get(tenant).all());
            all.sort(Comparator.comparingLong(Answer::sent));
            return all;
        }

        private long begin() {
            return first(alone);
        }

        private long flood() {
            return first(flooded);
        }

        private static long first(List<Answers> answers) {
            return answers.stream()
                    .flatMap(each -> each.all().stream())
                    .mapToLong(Answer::sent)
                    .min()
                    .orElseThrow();
        }

        private double seconds() {
            long last = flooded.stream()
                    .flatMap(each -> each.all().stream())
                    .mapToLong(Answer::answered)
                    .max()
                    .orElseThrow();
            return (last - begin()) / 1e9;
        }
    }

    private final Words words;
    private final double seconds;
    private final StringBuilder drawing = new StringBuilder();

    private FloodFilm(Words words, double seconds) {
        this.words = words;
        this.seconds = seconds;
    }

    /** {@return the film} */
    static String svg(Words words, Run without, Run with) {
        FloodFilm film = new FloodFilm(words, Math.max(without.seconds(), with.seconds()));
        film.draw(words.without, without, HEAD + 16);
        film.draw(words.with, with, HEAD + 16 + PANEL);
        int height = HEAD + 16 + 2 * PANEL;
        return String.format(
                        Locale.ROOT,
                        """
                        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-labelledby="title desc">
                          <title id="title">%s</title>
                          <desc id="desc">%s %s: %s %s: %s</desc>
                          <style>
                            svg { font-family: system-ui, -apple-system, "Segoe UI", "PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", sans-serif; font-size: 13px }
                            .page, .veil { fill: #ffffff } .page { stroke: #d1d9e0 }
                            text { fill: #1f2328 } .head { font-weight: 600; font-size: 16px } .soft { fill: #59636e } .end { text-anchor: end }
                            path { fill: none; stroke-width: 1.6; stroke-linecap: round }
                            .short { stroke: #1a7f37 } .long { stroke: #cf222e } .dot { stroke: #0969da; stroke-width: 2.4 } .line { stroke: #818b98; stroke-width: 1 }
                            @media (prefers-color-scheme: dark) {
                              .page, .veil { fill: #0d1117 } .page { stroke: #3d444d }
                              text { fill: #e6edf3 } .soft { fill: #9198a1 }
                              .short { stroke: #3fb950 } .long { stroke: #f85149 } .dot { stroke: #4493f8 }
                            }
                            .time { visibility: hidden }
                            @media (prefers-reduced-motion: no-preference) {
                              .time { visibility: visible; animation: pass %ds linear infinite }
                            }
                            @keyframes pass { 0%% { transform: translateX(0) } 85%%, 100%% { transform: translateX(%dpx) } }
                          </style>
                          <rect class="page" x="0.5" y="0.5" width="%d" height="%d" rx="8"/>
                          <text class="head" x="24" y="32">%s</text>
                          <text class="soft" x="24" y="54">%s</text>
                        """,
                        WIDTH,
                        height,
                        WIDTH,
                        height,
                        words.title,
                        words.legend,
                        words.without,
                        film.told(without),
                        words.with,
                        film.told(with),
                        Math.round(film.seconds * SHORTENED),
                        TRACK + 2,
                        WIDTH - 1,
                        height - 1,
                        words.title,
                        words.legend)
                + film.drawing + "</svg>\n";
    }

    private String told(Run run) {
        int reports = run.flooded.getFirst().reports();
        int refusals = run.flooded.getFirst().refusals();
        return refusals == 0
                ? String.format(Locale.ROOT, words.reports, reports)
                : String.format(Locale.ROOT, words.refusals, reports, refusals);
    }

    private void draw(String title, Run run, int top) {
        drawing.append(
                String.format(Locale.ROOT, "<text class=\"head\" x=\"24\" y=\"%d\">%s</text>%n", top + 20, title));
        drawing.append(String.format(
                Locale.ROOT,
                "<text class=\"soft end\" x=\"%d\" y=\"%d\">%s</text>%n",
                WIDTH - RIGHT,
                top + 20,
                told(run)));
        int lanes = top + 32;
        for (int tenant = 0; tenant < run.alone.size(); tenant++) {
            int lane = lanes + tenant * LANE;
            drawing.append(String.format(
                    Locale.ROOT,
                    "<text class=\"end\" x=\"%d\" y=\"%d\">%s</text>%n",
                    LEFT - 10,
                    lane + LANE / 2 + 4,
                    run.alone.get(tenant).tenant()));
            drawing.append(String.format(
                    Locale.ROOT, "<path class=\"line\" d=\"M%d %dh%d\" opacity=\"0.3\"/>%n", LEFT, lane + LANE, TRACK));
        }
        int bottom = 5 * LANE;
        drawing.append(String.format(
                Locale.ROOT, "<svg x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\">%n", LEFT, lanes, TRACK, bottom));
        dots(run);
        for (int tenant = 1; tenant < run.alone.size(); tenant++) {
            lines(run, tenant);
        }
        double flood = x(run.flood() - run.begin());
        drawing.append(String.format(
                Locale.ROOT, "<path class=\"line\" d=\"M%.1f 0v%d\" stroke-dasharray=\"3 3\"/>%n", flood, bottom));
        drawing.append(String.format(
                Locale.ROOT, "<g class=\"time\"><rect class=\"veil\" width=\"%d\" height=\"%d\"/>", TRACK + 2, bottom));
        drawing.append(String.format(Locale.ROOT, "<path class=\"line\" d=\"M0 0v%d\"/></g>%n</svg>%n", bottom));
        drawing.append(String.format(
                Locale.ROOT,
                "<text class=\"soft\" x=\"%.1f\" y=\"%d\">%s</text>%n",
                LEFT + flood,
                lanes + bottom + 16,
                words.begins));
        drawing.append(String.format(
                Locale.ROOT,
                "<text class=\"soft end\" x=\"%d\" y=\"%d\">" + words.seconds + "</text>%n",
                WIDTH - RIGHT,
                lanes + bottom + 16,
                Math.round(seconds)));
    }

    /** The reports of the flooding tenant, which are too many for lines. */
    private void dots(Run run) {
        StringBuilder path = new StringBuilder();
        int count = 0;
        for (Answer answer : run.of(0)) {
            if (answer.isReport()) {
                path.append(String.format(
                        Locale.ROOT, "M%.1f %.1fh0", x(answer.answered() - run.begin()), y(count++ % ROWS)));
            }
        }
        drawing.append(String.format(Locale.ROOT, "<path class=\"dot\" d=\"%s\"/>%n", path));
    }

    private void lines(Run run, int tenant) {
        StringBuilder shortOnes = new StringBuilder();
        StringBuilder longOnes = new StringBuilder();
        long[] busyUntil = new long[ROWS];
        for (Answer answer : run.of(tenant)) {
            int row = 0;
            while (row < ROWS - 1 && busyUntil[row] > answer.sent()) {
                row++;
            }
            busyUntil[row] = answer.answered();
            boolean waits = answer.answered() - answer.sent() > A_SECOND;
            (waits ? longOnes : shortOnes)
                    .append(String.format(
                            Locale.ROOT,
                            "M%.1f %.1fH%.1f",
                            x(answer.sent() - run.begin()),
                            tenant * LANE + y(row),
                            x(answer.answered() - run.begin())));
        }
        drawing.append(String.format(Locale.ROOT, "<path class=\"short\" d=\"%s\"/>%n", shortOnes));
        drawing.append(String.format(Locale.ROOT, "<path class=\"long\" d=\"%s\"/>%n", longOnes));
    }

    private static double y(int row) {
        return 3 + row * ROW;
    }

    private double x(long nanos) {
        return nanos / 1e9 / seconds * TRACK;
    }
}
