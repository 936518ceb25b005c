package io.github.kobe.sample.flood;

import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;

/**
 * Has {@code acme} flood the sample with VAT numbers to be checked, of which the partner takes only so many a minute, while
 * three neighbours always have some that wait, and tells how all fared and what the partner has counted.
 */
public final class RateFlood {

    private static final int NEIGHBOURS = 3;

    /** So that one waits when the neighbour's turn comes. */
    private static final int CLIENTS_OF_A_NEIGHBOUR = 3;

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
    public RateFlood(String address, int clients, Duration time) {
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
            new RateFlood(arguments[0], Integer.parseInt(arguments[1]), time).tell(System.out);
        } catch (IOException nobody) {
            System.err.println("No sample answers at " + arguments[0]
                    + ". Start it with: ./mvnw -pl sample-app -am spring-boot:run");
            System.exit(1);
        }
    }

    /**
     * Floods it, and prints what there was to see when the time is over, without those that still wait.
     *
     * @param out where to
     * @throws IOException if nobody answers at the address
     * @throws InterruptedException if it is to end
     */
    public void tell(PrintStream out) throws IOException, InterruptedException {
        sample.check(Sample.FLOODING);
        Answers flooding = new Answers(Sample.FLOODING);
        List<Answers> neighbours =
                Sample.NEIGHBOURS.stream().limit(NEIGHBOURS).map(Answers::new).toList();
        out.println("While " + clients + " clients of " + Sample.FLOODING + " and " + CLIENTS_OF_A_NEIGHBOUR
                + " of each neighbour have VAT numbers checked:");
        long end = System.nanoTime() + time.toNanos();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            ask(threads, clients, flooding, end);
            neighbours.forEach(neighbour -> ask(threads, CLIENTS_OF_A_NEIGHBOUR, neighbour, end));
            Sample.pause(time);
            Answers.print(Stream.concat(Stream.of(flooding), neighbours.stream()), out);
            out.println();
            out.println("What the partner has counted by itself:");
            out.println(sample.quota());
            threads.shutdownNow();
        }
    }

    private void ask(ExecutorService threads, int clientsOfOne, Answers answers, long end) {
        for (int client = 0; client < clientsOfOne; client++) {
            threads.execute(() -> sample.askWhile(() -> System.nanoTime() < end, sample::check, answers));
        }
    }
}
