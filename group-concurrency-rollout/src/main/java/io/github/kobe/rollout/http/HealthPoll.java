package io.github.kobe.rollout.http;

import io.github.kobe.rollout.HealthCheckClient;
import io.github.kobe.rollout.NetworkEndpoint;
import io.github.kobe.rollout.RolloutSettings;
import io.github.kobe.rollout.StageContext;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

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
        List<String> wrong = ask(context, urls, version);
        for (int attempt = 2; attempt <= attempts && !wrong.isEmpty(); attempt++) {
            pauses.pause(interval);
            wrong = ask(context, urls, version);
        }
        return wrong;
    }

    private List<String> ask(StageContext context, List<String> urls, long version) throws InterruptedException {
        if (urls.isEmpty()) {
            return List.of();
        }
        List<Callable<Map<String, Object>>> questions = new ArrayList<>();
        for (String url : urls) {
            questions.add(() -> {
                context.endpoint(url);
                return client.get(url, headers);
            });
        }
        List<Future<Map<String, Object>>> answers = SideBySide.run(urls.size(), timeout, questions);
        List<String> wrong = new ArrayList<>();
        for (int index = 0; index < urls.size(); index++) {
            String finding = finding(answers.get(index), version);
            if (finding != null) {
                wrong.add(NetworkEndpoint.ofTrusted(urls.get(index)) + ": " + finding);
            }
        }
        return wrong;
    }

    private @Nullable String finding(Future<Map<String, Object>> answer, long version) throws InterruptedException {
        try {
            Object found = answer.get().get(versionKey);
            if (found == null) {
                return "no field '" + versionKey + "'";
            }
            return isSame(found, version) ? null : versionKey + " is " + found + " instead of " + version;
        } catch (ExecutionException e) {
            return String.valueOf(Objects.requireNonNullElse(e.getCause(), e));
        }
    }

    /** {@return how long it may take at most} */
    Duration longest() {
        return timeout.multipliedBy(attempts).plus(interval.multipliedBy(attempts - 1L));
    }

    /** As numbers, so that {@code "5"}, 5 and 5.0 are the same. */
    private static boolean isSame(Object found, long version) {
        try {
            return new BigDecimal(found.toString().trim()).compareTo(BigDecimal.valueOf(version)) == 0;
        } catch (NumberFormatException e) {
            return false;
        }
    }
}
