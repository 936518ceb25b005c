package io.github.kobe.sample.flood;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The running sample, as its clients see it. */
final class Sample {

    /** The tenant that asks for too much. */
    static final String FLOODING = "acme";

    static final List<String> NEIGHBOURS = List.of("hooli", "initech", "vip-globex", "vip-umbrella");

    /** When a client that was turned away comes back; it does not care for {@code Retry-After}. */
    private static final Duration PAUSE = Duration.ofMillis(500);

    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final Duration PATIENCE_WITH_THE_PARTNER = Duration.ofMinutes(2);
    private static final Duration PATIENCE_WITH_AN_EXPORT = Duration.ofMinutes(5);

    private static final String VAT_NUMBER = "DE811907980";

    private static final Pattern HELD = Pattern.compile("\"held\":(\\d+)");
    private static final Pattern CAP = Pattern.compile("\"global\":\\{[^{}]*\"maxInFlight\":(\\d+)");

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final String address;

    Sample(String address) {
        this.address = address;
    }

    /** What a tenant asks for; gives the status of the answer. */
    @FunctionalInterface
    interface Question {
        int send(String tenant) throws IOException, InterruptedException;
    }

    /** Asks for one report after the other. */
    void askWhile(BooleanSupplier condition, Answers answers) {
        askWhile(condition, this::report, answers);
    }

    /** Asks the same again and again. */
    void askWhile(BooleanSupplier condition, Question question, Answers answers) {
        while (condition.getAsBoolean()) {
            if (!ask(question, answers)) {
                pause(PAUSE);
            }
        }
    }

    /** {@return whether there was a report} */
    boolean ask(Answers answers) {
        return ask(this::report, answers);
    }

    private boolean ask(Question question, Answers answers) {
        long start = System.nanoTime();
        int status = Answers.NOTHING;
        try {
            status = question.send(answers.tenant());
        } catch (IOException e) {
            // Nothing came.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
        Answers.Answer answer = new Answers.Answer(start, System.nanoTime(), status);
        answers.add(answer);
        return answer.isReport();
    }

    /** {@return the status of the answer} */
    int report(String tenant) throws IOException, InterruptedException {
        return post("/tenants/" + tenant + "/reports", PATIENCE);
    }

    /** {@return the status of the answer, when all documents are there} */
    int export(String tenant, int documents) throws IOException, InterruptedException {
        return post("/tenants/" + tenant + "/archive?documents=" + documents, PATIENCE_WITH_AN_EXPORT);
    }

    /** {@return the status of the answer, when the partner has had time for it} */
    int check(String tenant) throws IOException, InterruptedException {
        HttpRequest request = request("/tenants/" + tenant + "/vat/" + VAT_NUMBER, PATIENCE_WITH_THE_PARTNER)
                .GET()
                .build();
        return http.send(request, BodyHandlers.discarding()).statusCode();
    }

    /** {@return what the partner counts of VAT numbers} */
    String quota() throws IOException, InterruptedException {
        return http.send(request("/partner/quota", PATIENCE).GET().build(), BodyHandlers.ofString())
                .body();
    }

    /** {@return how many permits of the cap a tenant's exports hold; empty if nothing of them was ever limited} */
    OptionalInt heldByExports(String tenant) throws IOException, InterruptedException {
        return number(HELD, "/actuator/groupexecutor/export:" + tenant);
    }

    /** {@return how many permits there are in all; empty if there is no cap} */
    OptionalInt cap() throws IOException, InterruptedException {
        return number(CAP, "/actuator/groupexecutor?limit=1");
    }

    private OptionalInt number(Pattern field, String path) throws IOException, InterruptedException {
        HttpResponse<String> answer = http.send(request(path, PATIENCE).GET().build(), BodyHandlers.ofString());
        Matcher found = field.matcher(answer.body());
        return found.find() ? OptionalInt.of(Integer.parseInt(found.group(1))) : OptionalInt.empty();
    }

    private int post(String path, Duration patience) throws IOException, InterruptedException {
        HttpRequest request =
                request(path, patience).POST(BodyPublishers.noBody()).build();
        return http.send(request, BodyHandlers.discarding()).statusCode();
    }

    private HttpRequest.Builder request(String path, Duration patience) {
        return HttpRequest.newBuilder(URI.create(address + path)).timeout(patience);
    }

    static void pause(Duration time) {
        try {
            Thread.sleep(time);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
