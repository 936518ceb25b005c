package io.github.kobe.spring.client;

import io.github.kobe.Costs;
import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPermit;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.RejectionReason;
import io.github.kobe.spring.internal.context.BlockingTurn;
import java.io.IOException;
import java.lang.reflect.UndeclaredThrowableException;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpRequest;
import org.springframework.http.client.ClientHttpRequestExecution;
import org.springframework.http.client.ClientHttpRequestInterceptor;
import org.springframework.http.client.ClientHttpResponse;

/**
 * Limits the calls of a {@code RestClient} or {@code RestTemplate} by a key, such as the host that is called:
 *
 * <pre>{@code
 * RestClient client = RestClient.builder()
 *         .requestInterceptor(GroupClientHttpRequestInterceptor.byHost(executor, "partner:"))
 *         .build();
 * }</pre>
 *
 * <p>A call waits for a permit of its key's group on its own thread, and holds it until its response is closed, or it has
 * failed. {@code RestClient} and {@code RestTemplate} close a response before they return what was in it, with one
 * exception: a response that {@code RestClient}'s {@code exchange} is told not to close is the caller's to close.
 *
 * <p>It waits as {@link GroupExecutor#call} does. So a call inside an annotated method of the same group shares the
 * method's permit, and a thread that has a response open shares that response's permit for its next call in the group,
 * until another thread asks for the body of that response. If a thread hands a response over, it should make no call
 * before the other thread has asked. If a retry is further out, each attempt waits for its own turn. A call counts as it
 * ended when its response began.
 *
 * <p>A call that isn't admitted throws a {@link RejectedTaskException}, even for an interrupt while it waits
 * ({@link RejectionReason#INTERRUPTED}, with the interrupt status restored) and after a shutdown
 * ({@link RejectionReason#SHUTDOWN}).
 *
 * <p>With the setting {@code group-concurrency.client.honour-retry-after}, a response with status 429 or 503 pauses the group
 * of its call for the time in its header {@code Retry-After}, if the executor is a bean. The response stays as it is.
 *
 * <p>Safe for use by several threads.
 *
 * @since 0.1.0
 */
public final class GroupClientHttpRequestInterceptor implements ClientHttpRequestInterceptor {

    private final GroupExecutor executor;
    private final Function<? super HttpRequest, @Nullable String> key;

    private GroupClientHttpRequestInterceptor(
            GroupExecutor executor, Function<? super HttpRequest, @Nullable String> key) {
        this.executor = Objects.requireNonNull(executor, "executor");
        this.key = Objects.requireNonNull(key, "key");
    }

    /**
     * Limits calls by the host that they go to, in lower case and without the port.
     *
     * @param executor the executor of the groups
     * @param prefix what a group's key begins with, before the host's name; may be empty
     * @return the interceptor; a call without a host isn't limited
     */
    public static GroupClientHttpRequestInterceptor byHost(GroupExecutor executor, String prefix) {
        Objects.requireNonNull(prefix, "prefix");
        return by(executor, request -> CalledHost.keyOf(prefix, request.getURI()));
    }

    /**
     * Limits calls by any key.
     *
     * @param executor the executor of the groups
     * @param key gives the key of a call's group, on the calling thread; {@code null} or blank: the call isn't limited.
     *     What it throws, the call throws
     * @return the interceptor
     */
    public static GroupClientHttpRequestInterceptor by(
            GroupExecutor executor, Function<? super HttpRequest, @Nullable String> key) {
        return new GroupClientHttpRequestInterceptor(executor, key);
    }

    @Override
    public ClientHttpResponse intercept(HttpRequest request, byte[] body, ClientHttpRequestExecution execution)
            throws IOException {
        String groupKey = key.apply(request);
        if (groupKey == null || groupKey.isBlank()) {
            return execution.execute(request, body);
        }
        GroupPermit ofOpen = LimitedResponse.permitOfOpen(executor, groupKey);
        Exchange exchange = new Exchange(groupKey, request, body, execution);
        try {
            LimitedResponse response = ofOpen == null ? exchange.limited() : exchange.limitedInside(ofOpen);
            response.got();
            return response;
        } catch (IOException | RuntimeException failure) {
            throw failure;
        } catch (InterruptedException interrupted) {
            throw BlockingTurn.interrupted(groupKey, "", interrupted);
        } catch (Exception failure) {
            throw new UndeclaredThrowableException(failure);
        }
    }

    /** One call. */
    private final class Exchange {

        private final String groupKey;
        private final HttpRequest request;
        private final byte[] body;
        private final ClientHttpRequestExecution execution;

        /** Tells what the call throws from what keeps it from being made. */
        private boolean entered;

        Exchange(String groupKey, HttpRequest request, byte[] body, ClientHttpRequestExecution execution) {
            this.groupKey = groupKey;
            this.request = request;
            this.body = body;
            this.execution = execution;
        }

        /** As {@link #limited}, inside the permit of a response that is open; another thread may close that. */
        LimitedResponse limitedInside(GroupPermit ofOpen) throws Exception {
            try {
                return ofOpen.call(this::limited);
            } catch (IllegalStateException closed) {
                if (entered) {
                    throw closed;
                }
                return limited();
            }
        }

        /** Makes it, when its turn comes; its permit is out until the response is closed. */
        LimitedResponse limited() throws Exception {
            return BlockingTurn.take(executor, groupKey, Costs.unsaid(), () -> {
                entered = true;
                // None: the thread is inside a permit that is closed, and is out until it has left.
                GroupPermit permit = executor.enclosingPermit(groupKey).orElse(null);
                try {
                    ClientHttpResponse response = execution.execute(request, body);
                    RetryAfter.honour(executor, groupKey, response::getStatusCode, response::getHeaders);
                    return new LimitedResponse(response, executor, permit);
                } catch (Throwable failure) {
                    if (permit != null) {
                        permit.close();
                    }
                    throw failure;
                }
            });
        }
    }
}
