package io.github.kobe.sample.export;

import io.github.kobe.RejectedTaskException;
import io.github.kobe.sample.report.NoOrdersException;
import io.github.kobe.sample.report.OrderStore;
import java.io.Serial;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.springframework.stereotype.Service;

/** Takes exports in and remembers the last thousand. */
@Service
class ExportService {

    private static final int REMEMBERED = 1_000;

    private final OrderStore orders;
    private final ExportWorker worker;
    private final AtomicLong lastId = new AtomicLong();
    private final Map<Long, Export> exports = Collections.synchronizedMap(new Remembered());

    ExportService(OrderStore orders, ExportWorker worker) {
        this.orders = orders;
        this.worker = worker;
    }

    /**
     * Starts an export, or queues it.
     *
     * @throws RejectedTaskException if the tenant has too many exports already
     */
    Export start(String tenant) {
        List<String> periods = orders.periods(tenant);
        if (periods.isEmpty()) {
            throw new NoOrdersException(tenant);
        }
        Progress progress = new Progress(periods.size());
        CompletableFuture<String> file = worker.run(tenant, periods, progress);
        // A rejection after the start is one of its reports': the export itself was let in, and has failed. What has
        // failed starts no more, so that is looked at first.
        if (file.state() == Future.State.FAILED
                && !progress.isStarted()
                && file.exceptionNow() instanceof RejectedTaskException rejection) {
            throw rejection;
        }
        Export export = new Export(lastId.incrementAndGet(), tenant, progress, file);
        exports.put(export.id(), export);
        return export;
    }

    Optional<Export> find(long id) {
        return Optional.ofNullable(exports.get(id));
    }

    private static final class Remembered extends LinkedHashMap<Long, Export> {

        @Serial
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, Export> eldest) {
            return size() > REMEMBERED;
        }
    }
}
