package io.github.kobe.spring.docs;

import io.github.kobe.scope.CancellationToken;
import io.github.kobe.scope.Joiner;
import io.github.kobe.scope.Scopes;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.springframework.context.SmartLifecycle;
import org.springframework.stereotype.Component;

@Component
class InboxServer implements SmartLifecycle {

    final BlockingQueue<String> inbox = new LinkedBlockingQueue<>();

    private final Scopes scopes;
    private final ReportStore reports;
    private volatile CancellationToken server;

    InboxServer(Scopes scopes, ReportStore reports) {
        this.scopes = scopes;
        this.reports = reports;
    }

    @Override
    public void start() {
        CompletableFuture<CancellationToken> opened = new CompletableFuture<>();
        Thread.ofVirtual().name("inbox").start(() -> serve(opened));
        server = opened.join();
    }

    private void serve(CompletableFuture<CancellationToken> opened) {
        try (var scope = scopes.open(
                Joiner.<Report>awaitAll(),
                change -> change.withName("inbox").withoutTimeout().withMaxUnfinished(1_000))) {
            opened.complete(scope.token());
            while (!scope.isCancelled()) {
                String tenantId = inbox.poll(100, TimeUnit.MILLISECONDS);
                if (tenantId != null) {
                    scope.fork("tenant:" + tenantId, () -> reports.buildFor(tenantId));
                }
            }
            scope.join();
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void stop() {
        server.cancel();
    }

    @Override
    public boolean isRunning() {
        return server != null && !server.isCancelled();
    }
}
