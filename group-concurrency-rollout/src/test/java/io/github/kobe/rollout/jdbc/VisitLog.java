package io.github.kobe.rollout.jdbc;

import io.github.kobe.rollout.Step;
import io.github.kobe.rollout.jdbc.Fleet.Run;
import io.github.kobe.rollout.jdbc.Visits.Visit;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** What nodes in processes of their own write of their visits to tenants, each as it begins and as it ends, into one file. */
final class VisitLog {

    /** The time of day is the clock that all processes share. */
    private static final long OFFSET = timeOfDay() - System.nanoTime();

    private final AtomicLong count = new AtomicLong();
    private final Path file;

    VisitLog(Path file) {
        this.file = file;
    }

    private static long timeOfDay() {
        Instant now = Instant.now();
        return TimeUnit.SECONDS.toNanos(now.getEpochSecond()) + now.getNano();
    }

    /** The begin of a visit, or its end; the number tells those of one node apart. */
    record Mark(boolean begins, long at, String node, long number, Run run) {

        private static final int PARTS = 5;

        private static Mark parse(String line) {
            String[] parts = line.split(" ", PARTS);
            return new Mark(
                    Boolean.parseBoolean(parts[0]),
                    Long.parseLong(parts[1]) - OFFSET,
                    parts[2],
                    Long.parseLong(parts[3]),
                    Run.parse(parts[4]));
        }

        private String visit() {
            return node + "/" + number;
        }
    }

    /** When a process was certainly not at work, since it was suspended or dead. */
    record Absence(String node, long from, long to) {

        private List<Visit> without(Visit visit) {
            if (!visit.node().equals(node)) {
                return List.of(visit);
            }
            Visit before = new Visit(node, visit.tenant(), visit.begin(), Math.min(visit.end(), from));
            Visit after = new Visit(node, visit.tenant(), Math.max(visit.begin(), to), visit.end());
            return List.of(before, after).stream()
                    .filter(part -> part.begin() < part.end())
                    .toList();
        }
    }

    /** {@return the step, of which it is written when it begins and when it ends, however that is} */
    Step noted(String node, Step step) {
        return ctx -> {
            Run run = Run.of(ctx);
            String visit = node + " " + count.incrementAndGet() + " " + run.line();
            write("true", visit);
            try {
                step.execute(ctx);
            } finally {
                write("false", visit);
            }
        };
    }

    private void write(String begins, String visit) throws IOException {
        Files.writeString(
                file,
                begins + " " + timeOfDay() + " " + visit + "\n",
                StandardOpenOption.CREATE,
                StandardOpenOption.APPEND);
    }

    /** {@return all that is written, in the order of time, by this process's {@link System#nanoTime()}} */
    List<Mark> marks() {
        try {
            String text = Files.exists(file) ? Files.readString(file) : "";
            return text.substring(0, text.lastIndexOf('\n') + 1)
                    .lines()
                    .map(Mark::parse)
                    .sorted(Comparator.comparingLong(Mark::at))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** {@return the begins of those visits that have not ended, by what is written} */
    List<Mark> open() {
        Map<String, Mark> open = new HashMap<>();
        for (Mark mark : marks()) {
            if (mark.begins()) {
                open.put(mark.visit(), mark);
            } else {
                open.remove(mark.visit());
            }
        }
        return List.copyOf(open.values());
    }

    /** {@return all visits as far as their nodes were not absent; one without an end goes on for ever} */
    Visits visits(List<Absence> absences) {
        Map<String, Long> ends = new HashMap<>();
        marks().stream().filter(mark -> !mark.begins()).forEach(mark -> ends.put(mark.visit(), mark.at()));
        List<Visit> all = new ArrayList<>();
        for (Mark mark : marks()) {
            if (mark.begins()) {
                List<Visit> parts = List.of(new Visit(
                        mark.node(), mark.run().tenant(), mark.at(), ends.getOrDefault(mark.visit(), Long.MAX_VALUE)));
                for (Absence absence : absences) {
                    parts = parts.stream()
                            .flatMap(part -> absence.without(part).stream())
                            .toList();
                }
                all.addAll(parts);
            }
        }
        return new Visits(all);
    }
}
