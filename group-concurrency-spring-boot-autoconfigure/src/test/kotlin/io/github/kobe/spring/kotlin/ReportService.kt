package io.github.kobe.spring.kotlin

import io.github.kobe.RejectedTaskException
import io.github.kobe.spring.annotation.GroupConcurrent
import kotlinx.coroutines.delay
import org.springframework.stereotype.Service

@Service
class ReportService {

    @GroupConcurrent(group = "tenant:#{#tenant}", queueTimeout = "500ms", fallbackMethod = "last")
    suspend fun build(tenant: String): String {
        delay(1_000) // in place of slow work
        return "report of $tenant"
    }

    suspend fun last(tenant: String, rejection: RejectedTaskException): String =
        "last report of $tenant (${rejection.reason()})"
}
