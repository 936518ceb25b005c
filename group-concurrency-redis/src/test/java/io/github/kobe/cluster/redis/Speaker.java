package io.github.kobe.cluster.redis;

import io.github.kobe.cluster.Answer;
import io.github.kobe.cluster.ClusterStore;
import io.github.kobe.cluster.Demand;
import io.github.kobe.cluster.Statement;
import io.github.kobe.cluster.Statement.Kind;
import io.github.kobe.testing.Deadline;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Speaks to a store as a node does, in the time of this machine. */
final class Speaker {

    private final ClusterStore store;
    private final String session;
    private long epoch;
    private long sequence;
    private long after;
    private long heardAt;

    Speaker(ClusterStore store, String session) {
        this.store = store;
        this.session = session;
    }

    CompletableFuture<Answer> send(Kind kind, Demand... demands) {
        sequence++;
        long quiet = after == 0 ? 0 : System.nanoTime() - heardAt;
        long number = sequence;
        CompletableFuture<Answer> answer = store.exchange(new Statement(
                        kind,
                        session,
                        epoch,
                        sequence,
                        after,
                        Duration.ofNanos(quiet),
                        "node-" + session,
                        Duration.ofSeconds(5),
                        Statement.FORM,
                        kind == Kind.EXCHANGE,
                        List.of(demands)))
                .toCompletableFuture();
        return answer.thenApply(heard -> {
            after = number;
            heardAt = System.nanoTime();
            epoch = heard.epoch();
            return heard;
        });
    }

    /** {@return the answer} There has to be one. */
    Answer say(Kind kind, Demand... demands) {
        return send(kind, demands).orTimeout(Deadline.SECONDS, TimeUnit.SECONDS).join();
    }

    /** {@return why there was no answer; {@code null}: there was one} */
    @Nullable
    String failure(Kind kind) {
        try {
            say(kind);
            return null;
        } catch (CompletionException failed) {
            return failed.getCause().getMessage();
        }
    }

    /** Speaks again and again until there is an answer. */
    void speakUntilAnswered(Kind kind) {
        String[] last = {null};
        Deadline.until(() -> "an answer, but " + last[0], () -> {
            last[0] = failure(kind);
            return last[0] == null;
        });
    }

    /** Speaks again and again until it fails with a message that begins so. */
    void speakUntilFailed(Kind kind, String beginning) {
        String[] last = {null};
        Deadline.until(() -> "a failure " + beginning + ", last " + last[0], () -> {
            last[0] = failure(kind);
            return last[0] != null && last[0].startsWith(beginning);
        });
    }

    long epoch() {
        return epoch;
    }
}
