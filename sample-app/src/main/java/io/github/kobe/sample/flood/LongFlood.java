package io.github.kobe.sample.flood;

import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Has {@code acme} export its archive, of which each document takes seconds, while each of its neighbours asks for one
 * report after the other, and tells how all fared: first the neighbours alone, then the export alone, then both.
 */
public final class LongFlood {

    /** The export has asked for all its documents by then. */
    private static final Duration HEAD_START = Duration.ofMillis(200);

    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(100);

    private final String address;
    private final Sample sample;
    private final int documents;
    private final Duration time;

    /**
     * Prepares a flood.
     *
     * @param address of the sample, which runs with the profile {@code long}
     * @param documents how many are exported; at least 1
     * @param time for how long the neighbours are alone
     */
    public LongFlood(String address, int documents, Duration time) {
        this.address = address;
        this.sample = new Sample(address);
        this.documents = documents;
        this.time = time;
    }

    /**
     * Floods the sample.
     *
     * @param arguments its address, how many documents are exported, and for how many seconds the neighbours are alone
     * @throws InterruptedException if it is to end
     */
    public static void main(String[] arguments) throws InterruptedException {
        Duration time = Duration.ofSeconds(Integer.parseInt(arguments[2]));
        try {
            new LongFlood(arguments[0], Integer.parseInt(arguments[1]), time).tell(System.out);
        } catch (IOException failure) {
            System.err.println(failure.getMessage());
            System.exit(1);
        }
    }

    /**
     * Runs the three parts, and prints what there was to see.
     *
     * @param out where to
     * @throws IOException if no sample with the profile {@code long} answers at the address, or the export fails
     * @throws InterruptedException if it is to end
     */
    public void tell(PrintStream out) throws IOException, InterruptedException {
        lookForTheArchive();
        List<Answers> alone = Sample.NEIGHBOURS.stream().map(Answers::new).toList();
        List<Answers> beside = Sample.NEIGHBOURS.stream().map(Answers::new).toList();
        Holding holdingAlone = new Holding("alone");
        Holding holdingBeside = new Holding("beside the neighbours");
        out.println("The neighbours alone:");
        askFor(time, alone);
        Answers.print(alone.stream(), out);
        export(holdingAlone, List.of());
        export(holdingBeside, beside);
        out.println();
        out.println("While " + Sample.FLOODING + " exports " + documents + " documents:");
        Answers.print(beside.stream(), out);
        out.println();
        int cap = sample.cap().orElse(0);
        out.println(Holding.HEAD);
        out.println(holdingAlone.line(cap));
        out.println(holdingBeside.line(cap));
        out.println();
        out.println(sentence(alone, beside, holdingAlone, cap));
    }

    private void lookForTheArchive() throws IOException, InterruptedException {
        int status;
        try {
            sample.report(Sample.FLOODING);
            status = sample.export(Sample.FLOODING, 0);
        } catch (IOException nobody) {
            throw new IOException("No sample answers at " + address + howToStart(), nobody);
        }
        if (status == 404) {
            throw new IOException("The sample at " + address + " has no archive" + howToStart());
        }
    }

    private static String howToStart() {
        return ". Start it with: ./mvnw -pl sample-app -am spring-boot:run -Dspring-boot.run.profiles=long";
    }

    private static String sentence(List<Answers> alone, List<Answers> beside, Holding exportAlone, int cap) {
        double before = Answers.seconds(alone, 0.95);
        double during = Answers.seconds(beside, 0.95);
        int lost = beside.stream()
                .mapToInt(each -> each.refusals() + each.others())
                .sum();
        String change = "95 of 100 reports took at most " + Answers.shown(before) + " before, " + Answers.shown(during)
                + " beside the export";
        if (lost == 0 && Answers.areAlike(before, during)) {
            return "The neighbours noticed nothing: " + change + "."
                    + (exportAlone.isKnown()
                            ? String.format(
                                    Locale.ROOT, " Alone, the export held %d of %d permits.", exportAlone.median(), cap)
                            : "");
        }
        return "The neighbours waited for the export: " + change + (lost == 0 ? "" : ", " + lost + " never came") + ".";
    }

    private void askFor(Duration howLong, List<Answers> neighbours) {
        long end = System.nanoTime() + howLong.toNanos();
        // Closing it waits for all answers.
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            neighbours.forEach(each -> threads.execute(() -> sample.askWhile(() -> System.nanoTime() < end, each)));
        }
    }

    /** Runs an export, and has the neighbours ask for reports until it is done. */
    private void export(Holding holding, List<Answers> neighbours) throws IOException, InterruptedException {
        long start = System.nanoTime();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<Integer> export = threads.submit(() -> {
                int status = sample.export(Sample.FLOODING, documents);
                holding.took(Duration.ofNanos(System.nanoTime() - start));
                return status;
            });
            Sample.pause(HEAD_START);
            neighbours.forEach(each -> threads.execute(() -> sample.askWhile(() -> !export.isDone(), each)));
            while (!export.isDone()) {
                OptionalInt held = sample.heldByExports(Sample.FLOODING);
                held.ifPresent(holding::held);
                Sample.pause(BETWEEN_LOOKS);
            }
            if (export.get() != 200) {
                throw new IOException("The export was answered with " + export.get());
            }
        } catch (ExecutionException failure) {
            throw new IOException("The export failed", failure.getCause());
        }
    }
}
