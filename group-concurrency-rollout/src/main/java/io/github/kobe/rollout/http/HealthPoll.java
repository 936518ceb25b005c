package io.github.kobe.rollout.http;

import io.github.kobe.rollout.HealthCheckClient;
import io.github.kobe.rollout.NetworkEndpoint;
import io.github.kobe.rollout.RolloutSettings;
import io.github.kobe.rollout.StageContext;
import java.io.IOException;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;

/** Asks all instances at once, again and again, until all of them run the intended version. */
final class HealthPoll {

    private static final int DEFAULT_ATTEMPTS = 10;
    private static final Duration DEFAULT_INTERVAL = Duration.ofSeconds(3);
    private static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(2);

    private final HealthCheckClient client;
    private final Pauses pauses;
    private final Map<String, String> headers;
    private final String versionKey;
    private final int attempts;
    private final Duration interval;
    private final Duration timeout;

    HealthPoll(RolloutSettings settings, HealthCheckClient client, Pauses pauses) {
        this.client = client;
        this.pauses = pauses;
        headers = new Headers(settings).set();
        versionKey = settings.text("health.version-key", "version");
        attempts = settings.count("health.max-attempts", DEFAULT_ATTEMPTS);
        interval = settings.duration("health.interval", DEFAULT_INTERVAL);
        timeout = settings.duration("health.timeout", DEFAULT_TIMEOUT);
    }

    /** {@return what was wrong at the last attempt; empty if all is well} */
    List<String> poll(StageContext context) throws InterruptedException {
        List<String> urls = EndpointUrls.ofHealth(context);
        long version = context.target().unit().version().version();
        List<String> wrong = wrong(context, urls, version);
        for (int attempt = 2; attempt <= attempts && !wrong.isEmpty(); attempt++) {
            pauses.pause(interval);
            wrong = wrong(context, urls, version);
        }
        return wrong;
    }

    /**
     * {@return the version that all instances run}
     *
     * @throws IOException if it can't be found out, or isn't the same
     */
    long present(StageContext context) throws IOException, InterruptedException {
        List<String> urls = EndpointUrls.ofHealth(context);
        Set<Long> versions = new TreeSet<>();
        List<Future<Object>> answers = ask(context, urls);
        for (int index = 0; index < urls.size(); index++) {
            String who = NetworkEndpoint.ofTrusted(urls.get(index)) + ": ";
            try {
                Object found = answers.get(index).get();
                versions.add(number(found)
                        .flatMap(HealthPoll::version)
                        .orElseThrow(
                                () -> new IOException(who + versionKey + " is " + found + ", which is no version")));
            } catch (ExecutionException e) {
                throw new IOException(who + problem(e), e);
            }
        }
        if (versions.size() != 1) {
            throw new IOException("the instances run different versions: " + versions);
        }
        return versions.iterator().next();
    }

    private List<String> wrong(StageContext context, List<String> urls, long version) throws InterruptedException {
        List<String> wrong = new ArrayList<>();
        List<Future<Object>> answers = ask(context, urls);
        for (int index = 0; index < urls.size(); index++) {
            String who = NetworkEndpoint.ofTrusted(urls.get(index)) + ": ";
            try {
                Object found = answers.get(index).get();
                if (!isSame(found, version)) {
                    wrong.add(who + versionKey + " is " + found + " instead of " + version);
                }
            } catch (ExecutionException e) {
                wrong.add(who + problem(e));
            }
        }
        return wrong;
    }

    /** {@return what each has in the field of the version} */
    private List<Future<Object>> ask(StageContext context, List<String> urls) throws InterruptedException {
        if (urls.isEmpty()) {
            return List.of();
        }
        List<Callable<Object>> questions = new ArrayList<>();
        for (String url : urls) {
            questions.add(() -> {
                context.endpoint(url);
                Object found = client.get(url, headers).get(versionKey);
                if (found == null) {
                    throw new NoSuchElementException("no field '" + versionKey + "'");
                }
                return found;
            });
        }
        return SideBySide.run(urls.size(), timeout, questions);
    }

    private static String problem(ExecutionException e) {
        Throwable cause = Objects.requireNonNullElse(e.getCause(), e);
        return cause instanceof NoSuchElementException ? String.valueOf(cause.getMessage()) : cause.toString();
    }

    /** {@return how long it may take at most} */
    Duration longest() {
        return timeout.multipliedBy(attempts).plus(interval.multipliedBy(attempts - 1L));
    }

    /** As numbers, so that {@code "5"}, 5 and 5.0 are the same. */
    private static boolean isSame(Object found, long version) {
        return number(found)
                .filter(number -> number.compareTo(BigDecimal.valueOf(version)) == 0)
                .isPresent();
    }

    private static Optional<BigDecimal> number(Object found) {
        try {
            return Optional.of(new BigDecimal(found.toString().trim()));
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    private static Optional<Long> version(BigDecimal number) {
        try {
            return Optional.of(number.longValueExact()).filter(version -> version >= 0);
        } catch (ArithmeticException e) {
            return Optional.empty();
        }
    }
}
