package io.github.kobe.spring.method;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class AsynchronousEndTests {

    @Test
    void aFailureIsTakenOutOfAllItsWrappers() {
        Exception failure = new Exception("no answer");
        CompletableFuture<Object> target = new CompletableFuture<>();

        AsynchronousEnd.follow(
                CompletableFuture.failedFuture(new CompletionException(new ExecutionException(failure))),
                "A.method",
                target);

        assertThat(target.exceptionNow()).isSameAs(failure);
    }

    @Test
    void wrappersThatAreEachOthersCauseComeToAnEnd() {
        Circular one = new Circular();
        CompletionException other = new CompletionException(one);
        one.initCause(other);
        CompletableFuture<Object> target = new CompletableFuture<>();

        AsynchronousEnd.follow(CompletableFuture.failedFuture(one), "A.method", target);

        assertThat(target.exceptionNow()).isIn(one, other);
        assertThat(catchThrowable(() -> AsynchronousEnd.await(CompletableFuture.failedFuture(one), "A.method")))
                .isIn(one, other);
    }

    private static final class Circular extends CompletionException {

        private static final long serialVersionUID = 1;

        Circular() {
            super("in a circle");
        }
    }
}
