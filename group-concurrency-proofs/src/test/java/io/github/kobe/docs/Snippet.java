package io.github.kobe.docs;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPolicy;
import io.github.kobe.scope.Scopes;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;

/** What the code in the docs is compiled into, and the names it may use without declaring them. */
public abstract class Snippet implements AutoCloseable {

    /** What is reported on. */
    public record Report(String tenant) {}

    /** What a partner answers. */
    public record Response(String text) {}

    /** A context that belongs to a thread. */
    protected static final ThreadLocal<String> CURRENT_USER = new ThreadLocal<>();

    protected final GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder()
            .defaults(GroupLimits.unset().withMaxConcurrency(2))
            .build());

    protected final Scopes scopes = Scopes.of(executor);

    protected final AtomicReference<String> log = new AtomicReference<>("");

    /** The code of the block. */
    public abstract void run() throws Exception;

    protected Report buildReport(String tenant) {
        return new Report(tenant);
    }

    protected Response callPartner(String request) {
        return new Response(request);
    }

    protected CompletionStage<Response> callPartnerAsync(String request) {
        return CompletableFuture.supplyAsync(() -> new Response(request));
    }

    protected void log(String line) {
        log.set(line);
    }

    @Override
    public void close() {
        executor.close();
    }
}
