package io.github.kobe.spring.test.docs;

import io.github.kobe.spring.annotation.GroupConcurrent;
import org.springframework.stereotype.Service;

@Service
class ReportService {

    @GroupConcurrent(group = "tenant:#{#tenantId}")
    String build(String tenantId) {
        return "report of " + tenantId;
    }
}
