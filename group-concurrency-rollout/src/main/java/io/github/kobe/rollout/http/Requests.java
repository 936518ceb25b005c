package io.github.kobe.rollout.http;

import io.github.kobe.rollout.HttpTransport;
import io.github.kobe.rollout.NetworkEndpoint;
import io.github.kobe.rollout.RetryAfterException;
import io.github.kobe.rollout.RolloutSettings;
import io.github.kobe.rollout.StageContext;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Sends a request to each of a tenant's instances, side by side, and tells of all that have failed. */
final class Requests {

    static final String KEY = "Idempotency-Key";
    static final String TOKEN = "Rollout-Token";

    private static final int DEFAULT_PARALLEL = 8;
    private static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(10);
    private static final int MOST_TOLD = 10;

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
        List<NetworkEndpoint> endpoints = context.change().endpoints().stream()
                .map(NetworkEndpoint::ofTrusted)
                .toList();
        List<HttpTransport.Call> calls = new ArrayList<>();
        for (int index = 0; index < endpoints.size(); index++) {
            Map<String, String> all = headers.with(
                    Map.of("Content-Type", "application/json"),
                    Map.of(
                            KEY, context.idempotencyKey(Integer.toString(index + 1)),
                            TOKEN, Long.toString(context.fencingToken())));
            calls.add(new HttpTransport.Call(method, EndpointUrls.below(endpoints.get(index), path), all, body));
        }
        sendAll(context, calls);
    }

    private void sendAll(StageContext context, List<HttpTransport.Call> calls)
            throws IOException, InterruptedException {
        List<Callable<HttpTransport.Answer>> sending = new ArrayList<>();
        for (HttpTransport.Call call : calls) {
            sending.add(() -> {
                context.endpoint(call.url().toString());
                return transport.send(call);
            });
        }
        List<Future<HttpTransport.Answer>> answers = SideBySide.run(parallel, timeout, sending);
        List<IOException> failures = new ArrayList<>();
        for (int index = 0; index < calls.size(); index++) {
            IOException failure = failure(calls.get(index), answers.get(index));
            if (failure != null) {
                failures.add(failure);
            }
        }
        if (!failures.isEmpty()) {
            throw failures.size() == 1 ? failures.getFirst() : together(failures, calls.size());
        }
    }

    /** What clients say of a failure often doesn't tell whom they asked. */
    private static @Nullable IOException failure(HttpTransport.Call call, Future<HttpTransport.Answer> answer)
            throws InterruptedException {
        String request = call.method() + " " + call.url();
        try {
            int status = answer.get().status();
            if (status / 100 == 2) {
                return null;
            }
            String told = request + " was answered with status " + status;
            Optional<Duration> retryAfter = RetryAfter.of(answer.get());
            return retryAfter.isPresent()
                    ? new RetryAfterException(told + "; try again after " + retryAfter.get(), retryAfter.get())
                    : new IOException(told + (status / 100 == 3 ? "; redirects are not followed" : ""));
        } catch (ExecutionException e) {
            Throwable cause = Objects.requireNonNullElse(e.getCause(), e);
            return new IOException(request + " failed: " + cause, cause);
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
        failures.forEach(together::addSuppressed);
        return together;
    }
}
