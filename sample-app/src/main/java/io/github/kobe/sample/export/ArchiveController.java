package io.github.kobe.sample.export;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.springframework.context.annotation.Profile;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Exports a tenant's archive: asks for all documents at once, and lets the limits say how many are got at a time. */
@RestController
@Profile("long")
class ArchiveController {

    private final Archive archive;

    ArchiveController(Archive archive) {
        this.archive = archive;
    }

    @PostMapping("/tenants/{tenant}/archive")
    ArchiveExport export(@PathVariable String tenant, @RequestParam int documents)
            throws InterruptedException, ExecutionException {
        long length = 0;
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Callable<String>> all = IntStream.range(0, documents)
                    .<Callable<String>>mapToObj(number -> () -> archive.document(tenant, number))
                    .toList();
            for (Future<String> document : threads.invokeAll(all)) {
                length += document.get().length();
            }
        }
        return new ArchiveExport(tenant, documents, length);
    }

    record ArchiveExport(String tenant, int documents, long length) {}
}
