package io.github.kobe.benchmarks;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/** What a no-op task costs, while one thing after the other grows from a small number to a large one. */
final class Curves {

    private static final int TASKS = 200_000;
    private static final int GROUPS = 64;
    private static final int LIMIT = 4;
    private static final int GLOBAL = 64;

    /** Whose cost is drawn; somebody may be there twice, without and with a limit over all groups. */
    enum Line {
        OURS("group-concurrency", Entrant.OURS, Limits.NONE, "#0b5fff"),
        OURS_GLOBAL("group-concurrency, global limit 64", Entrant.OURS, GLOBAL, "#12a5a5"),
        QUEUE("queue + future", Entrant.QUEUE, Limits.NONE, "#d9730d"),
        RAW("raw virtual threads", Entrant.RAW, Limits.NONE, "#6b7280");

        private final String title;
        private final Entrant entrant;
        private final int global;
        private final String colour;

        Line(String title, Entrant entrant, int global, String colour) {
            this.title = title;
            this.entrant = entrant;
            this.global = global;
            this.colour = colour;
        }

        String title() {
            return title;
        }

        String colour() {
            return colour;
        }
    }

    /** All lines over what grows: nanoseconds per task, by the number it has grown to. */
    record Panel(String title, Map<Integer, Map<Line, Spread>> points) {}

    private final Rounds rounds;

    private Curves(Rounds rounds) {
        this.rounds = rounds;
    }

    /** Leaves the numbers and the picture in files. */
    static void run(Path folder, Size size, Rounds rounds) throws Exception {
        Curves curves = new Curves(rounds);
        int tasks = size.of(TASKS);
        int most = size.of(1_000_000);
        List<Panel> panels = List.of(
                curves.panel(
                        "tasks, in 64 groups with limit 4",
                        powersOfTen(Math.min(1_000, most), most),
                        n -> new Load(n, GROUPS, 1, LIMIT)),
                curves.panel(
                        "groups with limit 4", powersOfTen(1, most), n -> new Load(Math.max(tasks, n), n, 1, LIMIT)),
                curves.panel(
                        "producers, for 64 groups with limit 4",
                        IntStream.of(1, 2, 4, 8, 16, 32, 64),
                        n -> new Load(tasks, GROUPS, n, LIMIT)),
                curves.panel("limit of the only group", powersOfTen(1, 1_000), n -> new Load(tasks, 1, 1, n)));
        Files.writeString(folder.resolve("curves.csv"), csv(panels));
        Files.writeString(folder.resolve("curves.svg"), new Chart(panels).svg());
    }

    private static IntStream powersOfTen(int first, int last) {
        return IntStream.iterate(first, n -> n <= last, n -> n * 10);
    }

    private Panel panel(String title, IntStream numbers, IntFunction<Load> loads) throws Exception {
        Map<Integer, Map<Line, Spread>> points = new LinkedHashMap<>();
        for (int number : numbers.toArray()) {
            Load load = loads.apply(number);
            Map<Line, Spread> costs = new LinkedHashMap<>();
            rounds.of(List.of(Line.values()), line -> cost(load, line))
                    .forEach((line, nanos) -> costs.put(line, Spread.of(nanos)));
            points.put(number, costs);
        }
        return new Panel(title, points);
    }

    private static double cost(Load load, Line line) throws Exception {
        try (Contestant<?> contestant =
                line.entrant.enter(Limits.perGroup(load.limit()).withGlobal(line.global))) {
            return load.run(contestant);
        }
    }

    private static String csv(List<Panel> panels) {
        List<String> lines =
                new ArrayList<>(List.of("axis,number,contestant,lower quartile,ns per task,upper quartile"));
        for (Panel panel : panels) {
            panel.points.forEach((number, costs) -> costs.forEach((line, nanos) -> lines.add(String.format(
                    Locale.ROOT,
                    "\"%s\",%d,\"%s\",%.1f,%.1f,%.1f",
                    panel.title,
                    number,
                    line.title,
                    nanos.lower(),
                    nanos.median(),
                    nanos.upper()))));
        }
        return String.join("\n", lines) + "\n";
    }
}
