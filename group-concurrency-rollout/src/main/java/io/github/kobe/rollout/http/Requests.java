package io.github.kobe.rollout.http;

import io.github.kobe.rollout.HttpTransport;
import io.github.kobe.rollout.NetworkEndpoint;
import io.github.kobe.rollout.RetryAfterException;
import io.github.kobe.rollout.RolloutSettings;
import io.github.kobe.rollout.StageContext;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.function.IntPredicate;
import java.util.stream.Collectors;

/** Sends a request to each of a tenant's instances, side by side, and tells of all that have failed. */
final class Requests {

    static final String KEY = "Idempotency-Key";
    static final String TOKEN = "Rollout-Token";

    private static final int DEFAULT_PARALLEL = 8;
    private static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(10);
    private static final int MOST_TOLD = 10;
    private static final int OK = 200;
    private static final Set<Integer> NOTHING = Set.of(204, 404);

    private final HttpTransport transport;
    private final Headers headers;
    private final int parallel;
    private final Duration timeout;

    Requests(RolloutSettings settings, HttpTransport transport) {
        this.transport = transport;
        headers = new Headers(settings);
        parallel = settings.count("http.parallel", DEFAULT_PARALLEL);
        timeout = settings.duration("http.timeout", DEFAULT_TIMEOUT);
    }

    /** {@return how long one request to each of so many instances may take at most} */
    Duration longest(int instances) {
        return timeout.multipliedBy(Math.ceilDiv(instances, parallel));
    }

    void send(StageContext context, String method, String path, String body) throws IOException, InterruptedException {
        List<HttpTransport.Call> calls = new ArrayList<>();
        for (URI url : urls(context, path)) {
            Map<String, String> all = headers.with(
                    Map.of("Content-Type", "application/json"),
                    Map.of(
                            KEY, context.idempotencyKey(Integer.toString(calls.size() + 1)),
                            TOKEN, Long.toString(context.fencingToken())));
            calls.add(new HttpTransport.Call(method, url, all, body));
        }
        answers(context, calls, status -> status / 100 == 2);
    }

    /** {@return what is there, of each endpoint; nothing where there is nothing} */
    List<Optional<String>> get(StageContext context, String path) throws IOException, InterruptedException {
        List<HttpTransport.Call> calls = new ArrayList<>();
        for (URI url : urls(context, path)) {
            calls.add(new HttpTransport.Call("GET", url, headers.set(), ""));
        }
        return answers(context, calls, status -> status == OK || NOTHING.contains(status)).stream()
                .map(answer -> Optional.of(answer.body()).filter(body -> answer.status() == OK))
                .toList();
    }

    private static List<URI> urls(StageContext context, String path) {
        return context.change().endpoints().stream()
                .map(url -> EndpointUrls.below(NetworkEndpoint.ofTrusted(url), path))
                .toList();
    }

    private List<HttpTransport.Answer> answers(
            StageContext context, List<HttpTransport.Call> calls, IntPredicate isGood)
            throws IOException, InterruptedException {
        List<Callable<HttpTransport.Answer>> sending = new ArrayList<>();
        for (HttpTransport.Call call : calls) {
            sending.add(() -> {
                context.endpoint(call.url().toString());
                return transport.send(call);
            });
        }
        List<Future<HttpTransport.Answer>> answers = SideBySide.run(parallel, timeout, sending);
        List<HttpTransport.Answer> good = new ArrayList<>();
        List<IOException> failures = new ArrayList<>();
        for (int index = 0; index < calls.size(); index++) {
            try {
                good.add(answer(calls.get(index), answers.get(index), isGood));
            } catch (IOException e) {
                failures.add(e);
            }
        }
        if (!failures.isEmpty()) {
            throw failures.size() == 1 ? failures.getFirst() : together(failures, calls.size());
        }
        return good;
    }

    /** What clients say of a failure often doesn't tell whom they asked. */
    private static HttpTransport.Answer answer(
            HttpTransport.Call call, Future<HttpTransport.Answer> sent, IntPredicate isGood)
            throws IOException, InterruptedException {
        String request = call.method() + " " + call.url();
        try {
            HttpTransport.Answer answer = sent.get();
            if (isGood.test(answer.status())) {
                return answer;
            }
            String told = request + " was answered with status " + answer.status();
            Optional<Duration> retryAfter = RetryAfter.of(answer);
            throw retryAfter.isPresent()
                    ? new RetryAfterException(told + "; try again after " + retryAfter.get(), retryAfter.get())
                    : new IOException(told + (answer.status() / 100 == 3 ? "; redirects are not followed" : ""));
        } catch (ExecutionException e) {
            Throwable cause = Objects.requireNonNullElse(e.getCause(), e);
            throw new IOException(request + " failed: " + cause, cause);
        }
    }

    private static IOException together(List<IOException> failures, int all) {
        String more = failures.size() > MOST_TOLD ? "; and " + (failures.size() - MOST_TOLD) + " more" : "";
        String told = failures.stream()
                .limit(MOST_TOLD)
                .map(IOException::getMessage)
                .collect(Collectors.joining("; ", failures.size() + " of " + all + " requests failed: ", more));
        Optional<Duration> longest = failures.stream()
                .filter(RetryAfterException.class::isInstance)
                .map(failure -> ((RetryAfterException) failure).retryAfter())
                .max(Comparator.naturalOrder());
        IOException together =
                longest.isPresent() ? new RetryAfterException(told, longest.get()) : new IOException(told);
        failures.stream().limit(MOST_TOLD).forEach(together::addSuppressed);
        return together;
    }
}
