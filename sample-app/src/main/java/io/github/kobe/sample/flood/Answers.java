package io.github.kobe.sample.flood;

import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** What a tenant's clients were answered, and after what time. */
final class Answers {

    /** What stands above the lines. */
    private static final String HEAD =
            String.format("%-13s %7s %7s %7s %9s %9s", "tenant", "2xx", "429", "other", "median", "p95");

    static final String NONE = "-";

    private final String tenant;
    private final List<Duration> reports = new ArrayList<>();
    private int turnedAway;
    private int others;

    Answers(String tenant) {
        this.tenant = tenant;
    }

    String tenant() {
        return tenant;
    }

    synchronized void report(Duration time) {
        reports.add(time);
    }

    synchronized void turnedAway() {
        turnedAway++;
    }

    /** An error, or nothing in time. */
    synchronized void other() {
        others++;
    }

    synchronized int reports() {
        return reports.size();
    }

    synchronized int refusals() {
        return turnedAway;
    }

    synchronized int others() {
        return others;
    }

    /** {@return the time within which that part of the reports was there, in seconds; 0 if there was none} */
    synchronized double seconds(double part) {
        if (reports.isEmpty()) {
            return 0;
        }
        List<Duration> sorted = reports.stream().sorted().toList();
        int index = (int) Math.ceil(part * sorted.size()) - 1;
        return sorted.get(Math.max(index, 0)).toNanos() / 1e9;
    }

    /** {@return the same for what all tenants together were answered} */
    static double seconds(List<Answers> tenants, double part) {
        Answers together = new Answers("all");
        tenants.forEach(each -> together.reports.addAll(each.reportTimes()));
        return together.seconds(part);
    }

    private synchronized List<Duration> reportTimes() {
        return List.copyOf(reports);
    }

    /** Prints a table, one line for each tenant. */
    static void print(Stream<Answers> tenants, PrintStream out) {
        out.println(HEAD);
        tenants.forEach(each -> out.println(each.line()));
    }

    /** {@return all of it in one line of a table} */
    private String line() {
        String median = reports() == 0 ? NONE : shown(seconds(0.5));
        String p95 = reports() == 0 ? NONE : shown(seconds(0.95));
        return String.format(
                Locale.ROOT, "%-13s %7d %7d %7d %9s %9s", tenant, reports(), refusals(), others(), median, p95);
    }

    static String shown(double seconds) {
        return String.format(Locale.ROOT, "%.2f s", seconds);
    }
}
