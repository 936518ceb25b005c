package io.github.kobe.spring.cluster;

import io.github.kobe.cluster.redis.RedisStoreException;
import io.github.kobe.spring.internal.settings.PrintableText;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Reports a Redis whose scripts may not call {@code INFO}, wherever the store there was to be made. */
final class UnfitRedisFailureAnalyzer extends AbstractFailureAnalyzer<RedisStoreException> {

    private static final String NO_INFO = "NOINFO ";

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, RedisStoreException cause) {
        String message = String.valueOf(cause.getMessage());
        return message.startsWith(NO_INFO)
                ? new FailureAnalysis(
                        "The Redis at " + PrintableText.inOneLine(message.substring(NO_INFO.length())),
                        "Allow it there, or have group-concurrency.redis.uri name a Redis where it is allowed.",
                        cause)
                : null;
    }
}
