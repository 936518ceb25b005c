package io.github.kobe.spring.client;

import io.github.kobe.Costs;
import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPermit;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.RejectionReason;
import io.github.kobe.spring.internal.context.EnclosingPermit;
import io.github.kobe.spring.internal.context.ReactivePermits;
import io.github.kobe.spring.observation.ReactorObservation;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.web.reactive.function.client.ClientRequest;
import org.springframework.web.reactive.function.client.ClientResponse;
import org.springframework.web.reactive.function.client.ExchangeFilterFunction;
import org.springframework.web.reactive.function.client.ExchangeFunction;
import reactor.core.publisher.Mono;

/**
 * Limits the calls of a {@code WebClient} by a key, such as the host that is called:
 *
 * <pre>{@code
 * WebClient client = WebClient.builder()
 *         .filter(GroupExchangeFilterFunction.byHost(executor, "partner:"))
 *         .build();
 * }</pre>
 *
 * <p>Each time a call is subscribed to, it waits for a permit of its key's group without a thread. It holds the permit
 * until the body of its response completes, fails or is cancelled, or the call itself fails or is cancelled. As
 * {@code WebClient} requires, every body has to be consumed or released; {@code retrieve()} and {@code exchangeToMono}
 * take care of that.
 *
 * <p>A call that isn't admitted ends with a {@link RejectedTaskException}, even after a shutdown
 * ({@link RejectionReason#SHUTDOWN}). A call that is cancelled while it waits leaves the queue. If a thread inside the
 * same group subscribes to a call, the call shares that thread's permit. What a filter that comes after this one
 * subscribes to is inside the call's own permit, and so is what it does on the thread on which it is called.
 *
 * <p>With the setting {@code group-concurrency.client.honour-retry-after}, a response with status 429 or 503 pauses the group
 * of its call for the time in its header {@code Retry-After}, if the executor is a bean. The response stays as it is.
 *
 * <p>Safe for use by several threads.
 *
 * @since 0.1.0
 */
public final class GroupExchangeFilterFunction implements ExchangeFilterFunction {

    private final GroupExecutor executor;
    private final Function<? super ClientRequest, @Nullable String> key;

    private GroupExchangeFilterFunction(GroupExecutor executor, Function<? super ClientRequest, @Nullable String> key) {
        this.executor = Objects.requireNonNull(executor, "executor");
        this.key = Objects.requireNonNull(key, "key");
    }

    /**
     * Limits calls by the host that they go to, in lower case and without the port.
     *
     * @param executor the executor of the groups
     * @param prefix what a group's key begins with, before the host's name; may be empty
     * @return the filter; a call without a host isn't limited
     */
    public static GroupExchangeFilterFunction byHost(GroupExecutor executor, String prefix) {
        Objects.requireNonNull(prefix, "prefix");
        return by(executor, request -> CalledHost.keyOf(prefix, request.url()));
    }

    /**
     * Limits calls by any key.
     *
     * @param executor the executor of the groups
     * @param key gives the key of a call's group, at each subscription; {@code null} or blank: the call isn't limited.
     *     With what it throws, the call ends
     * @return the filter
     */
    public static GroupExchangeFilterFunction by(
            GroupExecutor executor, Function<? super ClientRequest, @Nullable String> key) {
        return new GroupExchangeFilterFunction(executor, key);
    }

    @Override
    public Mono<ClientResponse> filter(ClientRequest request, ExchangeFunction next) {
        return Mono.deferContextual(context -> {
            String groupKey = key.apply(request);
            if (groupKey == null || groupKey.isBlank()) {
                return next.exchange(request);
            }
            EnclosingPermit outer = context.getOrDefault(EnclosingPermit.class, null);
            ReactorObservation observation = ReactorObservation.of(context);
            CompletableFuture<GroupPermit> asked = observation.around(() -> EnclosingPermit.acquireAsync(
                    executor, outer, groupKey, "", GroupLimits.NO_TIMEOUT, Costs.unsaid()));
            AtomicBoolean isRead = new AtomicBoolean();
            Mono<ClientResponse> call = Mono.fromFuture(asked)
                    .flatMap(permit -> ReactivePermits.inside(
                            new EnclosingPermit(executor, permit, outer), Mono.defer(() -> next.exchange(request))))
                    .contextWrite(observation::addTo)
                    .map(response -> {
                        RetryAfter.honour(
                                executor,
                                groupKey,
                                response::statusCode,
                                () -> response.headers().asHttpHeaders());
                        return untilItsEnd(response, asked, isRead);
                    })
                    .doOnSuccess(response -> {
                        if (response == null) {
                            EnclosingPermit.giveBack(asked, null);
                        }
                    })
                    .doOnError(failure -> EnclosingPermit.giveBack(asked, failure));
            return ReactivePermits.afterCancel(call, () -> {
                if (!isRead.get()) { // or the body gives it back, when it has heard of the cancel too
                    EnclosingPermit.giveBack(asked, new CancellationException("The call was cancelled"));
                }
            });
        });
    }

    private static ClientResponse untilItsEnd(
            ClientResponse response, CompletableFuture<GroupPermit> asked, AtomicBoolean isRead) {
        return response.mutate()
                .body(body -> ReactivePermits.afterCancel(
                        body.doOnSubscribe(subscription -> isRead.set(true))
                                .doOnError(failure -> EnclosingPermit.giveBack(asked, failure))
                                .doOnComplete(() -> EnclosingPermit.giveBack(asked, null)),
                        () -> EnclosingPermit.giveBack(asked, new CancellationException("The response was discarded"))))
                .build();
    }
}
