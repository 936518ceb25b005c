package io.github.kobe.spring.test.listeners;

import io.github.kobe.spring.annotation.GroupConcurrent;
import java.util.concurrent.CompletableFuture;
import org.springframework.stereotype.Service;

@Service
class Exports {

    @GroupConcurrent(group = "export:#{#tenantId}")
    public CompletableFuture<String> export(String tenantId) {
        return CompletableFuture.completedFuture("export of " + tenantId);
    }
}
