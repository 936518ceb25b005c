package io.github.kobe.spring.test.listeners;

import io.github.kobe.spring.annotation.GroupConcurrent;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.springframework.stereotype.Service;

/** What listeners hand their messages to. */
@Service
class OrderImport {

    private final List<String> imported = new CopyOnWriteArrayList<>();

    @GroupConcurrent(group = "import:#{#tenantId}")
    public void run(String tenantId, String order) {
        imported.add(tenantId + ": " + order);
    }

    /** Not by the field, which the proxy doesn't have. */
    public List<String> imported() {
        return imported;
    }
}
