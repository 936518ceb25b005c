package io.github.kobe.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.kobe.TaskLifecycleListener;
import io.github.kobe.sample.partner.PartnerClient;
import io.github.kobe.testing.Deadline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.web.client.HttpClientErrorException;
import tools.jackson.databind.JsonNode;

/** VAT numbers, of which the partner takes only so many in any window of time, of all tenants together. */
@Tag("deep")
class VatTests {

    private static final int LIMIT = 60;
    private static final Duration PERIOD = Duration.ofSeconds(6);
    private static final long INTERVAL = PERIOD.dividedBy(LIMIT).toNanos();

    /** By so much something may be later than something else, on its way to the partner or to the log of the starts. */
    private static final Duration TOLERANCE = Duration.ofSeconds(1);

    private static final String FLOODING = "acme";
    private static final List<String> NEIGHBOURS = List.of("hooli", "initech", "vip-globex");

    @Test
    void aNumberIsCheckedAndThePartnerCountsIt() {
        try (RunningSample sample = RunningSample.start()) {
            sample.partner().open();

            assertThat(check(sample, "acme").body())
                    .isEqualTo("{\"tenant\":\"acme\",\"number\":\"DE811907980\",\"valid\":true}");

            assertThat(sample.get("/partner/quota").body())
                    .isEqualTo("{\"limit\":60,\"window\":\"PT59.5S\",\"most\":1,\"refused\":0,\"now\":{\"acme\":1}}");
        }
    }

    @Test
    void withoutLimitsThePartnerRefusesWhatIsTooMuch() {
        try (RunningSample sample = RunningSample.start(
                "group-concurrency.annotation.enabled=false",
                "sample.partner.vat.limit=3",
                "sample.partner.vat.per=1h")) {
            sample.partner().open();

            List<Integer> answers = IntStream.range(0, 5)
                    .mapToObj(i -> check(sample, "acme").status())
                    .toList();

            assertThat(answers).containsExactly(200, 200, 200, 503, 503);
            assertThat(sample.get("/partner/quota").json().get("refused").intValue())
                    .isEqualTo(2);
            PartnerClient partner = sample.bean(PartnerClient.class);
            assertThatExceptionOfType(HttpClientErrorException.TooManyRequests.class)
                    .isThrownBy(() -> partner.isVatNumber("acme", "DE811907980"))
                    .satisfies(refusal -> assertThat(
                                    Long.parseLong(refusal.getResponseHeaders().getFirst("Retry-After")))
                            .isBetween(3_000L, 3_600L));
        }
    }

    /**
     * Of each neighbour eight clients ask, of which four may run, so that some always wait when its turn comes. What starts may be
     * seen late, by up to the tolerance. But nothing of all that has been started since the beginning can be seen before its time.
     */
    @Test
    @Tag("deep")
    @Tag("RA1")
    @Tag("RA5")
    void whileOneTenantFloodsEachOfFourHasAFourthOfWhatThePartnerTakesAndNothingIsRefused() {
        Starts starts = new Starts();
        try (RunningSample sample = RunningSample.startWith(
                fresh -> fresh.registerBean("starts", TaskLifecycleListener.class, () -> starts),
                "sample.partner.vat.limit=" + LIMIT,
                "sample.partner.vat.per=" + PERIOD,
                "sample.partner.vat.tolerance=" + TOLERANCE)) {
            sample.partner().open(20);
            long begin = System.nanoTime();
            List<Integer> ofTheNeighbours;
            try (Clients clients = new Clients(sample, starts)) {
                clients.start(15, FLOODING);
                NEIGHBOURS.forEach(neighbour -> clients.start(8, neighbour));
                starts.await(LIMIT);
                starts.await(2 * LIMIT);
                ofTheNeighbours = clients.stop();
            }

            List<Start> all = starts.all();
            Map<String, Long> share = all.subList(LIMIT, 2 * LIMIT).stream()
                    .collect(Collectors.groupingBy(Start::tenant, Collectors.counting()));
            assertThat(share).hasSize(4);
            assertThat(share.values()).as("%s", share).allMatch(count -> Math.abs(count - LIMIT / 4) <= 1);
            for (int i = 0; i < all.size(); i++) {
                assertThat(all.get(i).at() - begin).as("start %d", i).isGreaterThanOrEqualTo(i * INTERVAL);
                if (i >= LIMIT) {
                    assertThat(all.get(i).at() - all.get(i - LIMIT).at())
                            .as("from start %d to start %d", i - LIMIT, i)
                            .isGreaterThanOrEqualTo(PERIOD.minus(TOLERANCE).toNanos());
                }
            }
            JsonNode quota = sample.get("/partner/quota").json();
            assertThat(quota.get("refused").intValue()).isZero();
            assertThat(quota.get("most").intValue()).isLessThanOrEqualTo(LIMIT);
            assertThat(ofTheNeighbours).isNotEmpty().containsOnly(200);
        }
    }

    private static Reply check(RunningSample sample, String tenant) {
        return sample.get("/tenants/" + tenant + "/vat/DE811907980");
    }

    private record Start(String tenant, long at) {}

    /** What has started, in that order. */
    private static final class Starts implements TaskLifecycleListener {

        private final List<Start> all = new ArrayList<>();

        @Override
        public synchronized void onStarted(String groupKey, String taskId) {
            all.add(new Start(groupKey, System.nanoTime()));
        }

        synchronized List<Start> all() {
            return List.copyOf(all);
        }

        synchronized int size() {
            return all.size();
        }

        void await(int count) {
            Deadline.until(() -> count + " starts, but " + size(), () -> size() >= count);
        }
    }

    /** Each asks again when it is answered; one that is turned away does so when something has started since. */
    private static final class Clients implements AutoCloseable {

        private final RunningSample sample;
        private final Starts starts;
        private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
        private final List<CompletableFuture<List<Integer>>> ofTheFlood = new ArrayList<>();
        private final List<CompletableFuture<List<Integer>>> ofTheNeighbours = new ArrayList<>();
        private volatile boolean over;

        Clients(RunningSample sample, Starts starts) {
            this.sample = sample;
            this.starts = starts;
        }

        void start(int clients, String tenant) {
            (tenant.equals(FLOODING) ? ofTheFlood : ofTheNeighbours)
                    .addAll(Stream.generate(() -> CompletableFuture.supplyAsync(() -> ask(tenant), threads))
                            .limit(clients)
                            .toList());
        }

        private List<Integer> ask(String tenant) {
            List<Integer> answers = new ArrayList<>();
            while (!over) {
                int started = starts.size();
                int status = check(sample, tenant).status();
                answers.add(status);
                if (status == 429) {
                    Deadline.until("the next start", () -> over || starts.size() > started);
                }
            }
            return answers;
        }

        /** {@return what the neighbours were answered} The others were let in, or turned away. */
        List<Integer> stop() {
            over = true;
            assertThat(joined(ofTheFlood)).containsOnly(200, 429);
            return joined(ofTheNeighbours);
        }

        private static List<Integer> joined(List<CompletableFuture<List<Integer>>> clients) {
            return clients.stream()
                    .map(client ->
                            client.orTimeout(Deadline.SECONDS, TimeUnit.SECONDS).join())
                    .flatMap(List::stream)
                    .toList();
        }

        @Override
        public void close() {
            over = true;
            Deadline.close(threads);
        }
    }
}
