package io.github.kobe.spring.docs;

import io.github.kobe.scope.CancellationToken;
import io.github.kobe.scope.Joiner;
import io.github.kobe.scope.Scopes;
import io.github.kobe.spring.docs.RowStore.Row;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.boot.CommandLineRunner;
import org.springframework.boot.ExitCodeGenerator;
import org.springframework.context.ApplicationContext;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/** As docs/howto/bulk-jobs.md shows it. */
@Component
class BulkJob implements CommandLineRunner, ExitCodeGenerator {

    /** What rows that run have for their end, once the job is told to stop. */
    private static final int GRACE_SECONDS = 10;

    private final ApplicationContext context;
    private final Scopes scopes;
    private final RowStore store; // your own
    private final List<Row> rows;
    private final AtomicInteger begun = new AtomicInteger();
    private final AtomicInteger done = new AtomicInteger();
    private final CountDownLatch over = new CountDownLatch(1);
    private volatile boolean stopping;
    private volatile CancellationToken token;

    BulkJob(ApplicationContext context, Scopes scopes, RowStore store) {
        this.context = context;
        this.scopes = scopes;
        this.store = store;
        rows = store.all();
    }

    @Override
    public void run(String... args) throws InterruptedException {
        Thread.startVirtualThread(this::tellProgress);
        try (var scope = scopes.open(
                Joiner.<Void>awaitAll(), settings -> settings.withoutTimeout().withMaxUnfinished(2_000))) {
            token = scope.token();
            for (Row row : rows) {
                if (stopping) {
                    break;
                }
                scope.fork("tenant:" + row.tenant(), () -> work(row));
            }
            scope.join();
        } finally { // nothing runs any more
            int failed = begun.get() - done.get();
            int notBegun = rows.size() - begun.get();
            System.out.printf("%d done, %d failed, %d not begun%n", done.get(), failed, notBegun);
            over.countDown();
        }
    }

    private void work(Row row) {
        if (stopping) {
            return; // it has waited until now, and is not begun
        }
        begun.incrementAndGet();
        try {
            store.recompute(row);
            done.incrementAndGet();
        } catch (IOException | InterruptedException | RuntimeException failure) {
            System.out.println("row " + row.id() + " of " + row.tenant() + " failed: " + failure);
        }
    }

    private void tellProgress() {
        try {
            while (!over.await(1, TimeUnit.SECONDS)) {
                System.out.println(done.get() + " of " + rows.size() + " rows are done");
            }
        } catch (InterruptedException end) {
            Thread.currentThread().interrupt();
        }
    }

    /** Before the starter waits until the executors are quiet: that doesn't wait for the report. */
    @EventListener
    void stop(ContextClosedEvent closed) throws InterruptedException {
        if (!closed.getApplicationContext().equals(context)) {
            return; // a child of it, such as the one of the management port
        }
        stopping = true; // no row begins any more
        if (token != null && !over.await(GRACE_SECONDS, TimeUnit.SECONDS)) {
            token.cancel(); // interrupts the rows that run
            over.await(GRACE_SECONDS, TimeUnit.SECONDS);
        }
    }

    @Override
    public int getExitCode() {
        return done.get() == rows.size() ? 0 : 1;
    }
}
