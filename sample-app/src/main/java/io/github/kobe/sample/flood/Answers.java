package io.github.kobe.sample.flood;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** What a tenant's clients were answered, and after what time. */
final class Answers {

    /** What stands above the lines. */
    private static final String HEAD =
            String.format("%-13s %7s %7s %7s %9s %9s", "tenant", "2xx", "429", "other", "median", "p95");

    static final String NONE = "-";

    /** What the neighbours may be slower, for one to say that they notice nothing. */
    private static final double UNNOTICED = 1.5;

    /**
     * One answer.
     *
     * @param sent when it was asked for, in nanoseconds
     * @param answered when it came, or nobody waited any longer
     * @param status of HTTP; {@link #NOTHING}: none came
     */
    record Answer(long sent, long answered, int status) {

        boolean isReport() {
            return status / 100 == 2;
        }

        boolean isRefusal() {
            return status == 429;
        }
    }

    static final int NOTHING = 0;

    private final String tenant;
    private final List<Answer> all = new ArrayList<>();

    Answers(String tenant) {
        this.tenant = tenant;
    }

    String tenant() {
        return tenant;
    }

    synchronized void add(Answer answer) {
        all.add(answer);
    }

    /** {@return all until now, in the order in which they came} */
    synchronized List<Answer> all() {
        return List.copyOf(all);
    }

    int reports() {
        return count(Answer::isReport);
    }

    int refusals() {
        return count(Answer::isRefusal);
    }

    /** {@return how often there was an error, or nothing in time} */
    int others() {
        return count(answer -> !answer.isReport() && !answer.isRefusal());
    }

    private int count(Predicate<Answer> which) {
        return (int) all().stream().filter(which).count();
    }

    /** {@return the time within which that part of the reports was there, in seconds; 0 if there was none} */
    double seconds(double part) {
        return seconds(List.of(this), part);
    }

    /** {@return the same for what all tenants together were answered} */
    static double seconds(List<Answers> tenants, double part) {
        List<Long> sorted = tenants.stream()
                .flatMap(each -> each.all().stream())
                .filter(Answer::isReport)
                .map(answer -> answer.answered - answer.sent)
                .sorted()
                .toList();
        if (sorted.isEmpty()) {
            return 0;
        }
        int index = (int) Math.ceil(part * sorted.size()) - 1;
        return sorted.get(Math.max(index, 0)) / 1e9;
    }

    /** {@return whether neighbours notice nothing, if so much of their reports took them that long before, and now} */
    static boolean areAlike(double before, double during) {
        return during <= before * UNNOTICED;
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
