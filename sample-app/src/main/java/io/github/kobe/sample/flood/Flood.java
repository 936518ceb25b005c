package io.github.kobe.sample.flood;

import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;

/**
 * Has {@code acme} flood the sample while its neighbours ask for two reports a second each, and tells how all fared: first
 * the neighbours alone for a third of the time, then with the flood.
 */
public final class Flood {

    private static final Duration NEIGHBOURS_PACE = Duration.ofMillis(500);
    /** From here on one may say that the neighbours suffer. */
    private static final double SUFFERING = 2;

    private final Sample sample;
    private final int clients;
    private final Duration time;

    /**
     * Prepares a flood.
     *
     * @param address of the sample
     * @param clients how many flood
     * @param time for how long
     */
    public Flood(String address, int clients, Duration time) {
        this.sample = new Sample(address);
        this.clients = clients;
        this.time = time;
    }

    /**
     * Floods the sample.
     *
     * @param arguments its address, how many clients flood, and for how many seconds
     * @throws InterruptedException if it is to end
     */
    public static void main(String[] arguments) throws InterruptedException {
        Duration time = Duration.ofSeconds(Integer.parseInt(arguments[2]));
        try {
            new Flood(arguments[0], Integer.parseInt(arguments[1]), time).tell(System.out);
        } catch (IOException nobody) {
            System.err.println("No sample answers at " + arguments[0]
                    + ". Start it with: ./mvnw -pl sample-app -am spring-boot:run");
            System.exit(1);
        }
    }

    /**
     * Runs both parts, and prints what there was to see.
     *
     * @param out where to
     * @throws IOException if nobody answers at the address
     * @throws InterruptedException if it is to end
     */
    public void tell(PrintStream out) throws IOException, InterruptedException {
        sample.report(Sample.FLOODING);
        out.println("The neighbours alone:");
        List<Answers> alone = run(time.dividedBy(3), 0);
        Answers.print(alone.stream().skip(1), out);
        out.println();
        out.println("While " + clients + " clients of " + Sample.FLOODING + " flood:");
        List<Answers> flooded = run(time, clients);
        Answers.print(flooded.stream(), out);
        out.println();
        out.println(sentence(alone.subList(1, alone.size()), flooded.subList(1, flooded.size())));
    }

    /** {@return what is to be said of the neighbours} Most of their reports may be as fast as ever, and some not. */
    static String sentence(List<Answers> alone, List<Answers> flooded) {
        double before = median(alone);
        double during = median(flooded);
        double mostBefore = p95OfTheSlowest(alone);
        double mostDuring = p95OfTheSlowest(flooded);
        int lost = flooded.stream()
                .mapToInt(each -> each.refusals() + each.others())
                .sum();
        String change = ": a report took them " + Answers.shown(before) + " before, " + Answers.shown(during)
                + " in the flood, and 95 of 100 of the slowest neighbour's took at most " + Answers.shown(mostBefore)
                + " before, " + Answers.shown(mostDuring) + " in the flood";
        if (lost > 0 || during >= before * SUFFERING) {
            return "The neighbours starved" + change + (lost == 0 ? "" : ". " + lost + " never came") + ". "
                    + Sample.FLOODING + " had nearly all of the partner for itself.";
        }
        String verdict = Answers.areAlike(before, during) && Answers.areAlike(mostBefore, mostDuring)
                ? "The neighbours noticed nothing"
                : "Some reports of the neighbours were slower";
        return verdict + change + ". " + Sample.FLOODING + " was kept to its limits, and told so.";
    }

    /** {@return the mean of the tenants' medians, in seconds} */
    private static double median(List<Answers> tenants) {
        return tenants.stream().mapToDouble(of -> of.seconds(0.5)).average().orElse(0);
    }

    private static double p95OfTheSlowest(List<Answers> tenants) {
        return tenants.stream().mapToDouble(of -> of.seconds(0.95)).max().orElse(0);
    }

    /**
     * Lets the neighbours, and so many clients of the flooding tenant, ask for reports.
     *
     * @return what the flooding tenant was answered, and then what each of the neighbours
     */
    List<Answers> run(Duration howLong, int floodingClients) {
        Answers flooding = new Answers(Sample.FLOODING);
        List<Answers> neighbours = Sample.NEIGHBOURS.stream().map(Answers::new).toList();
        long end = System.nanoTime() + howLong.toNanos();
        // Closing it waits for all answers.
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int client = 0; client < floodingClients; client++) {
                threads.execute(() -> sample.askWhile(() -> System.nanoTime() < end, flooding));
            }
            while (System.nanoTime() < end) {
                neighbours.forEach(neighbour -> threads.execute(() -> sample.ask(neighbour)));
                Sample.pause(NEIGHBOURS_PACE);
            }
        }
        return Stream.concat(Stream.of(flooding), neighbours.stream()).toList();
    }
}
