package io.github.kobe.spring.kotlin

import io.github.kobe.GroupExecutor
import io.github.kobe.GroupLimits
import io.github.kobe.GroupPermit
import io.github.kobe.GroupPolicy
import io.github.kobe.spring.autoconfigure.GroupConcurrencyAutoConfiguration
import io.github.kobe.spring.method.GroupConcurrentAspectAutoConfiguration
import io.github.kobe.testing.Deadline
import java.util.concurrent.Callable
import java.util.concurrent.atomic.AtomicInteger
import kotlin.random.Random
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.Job
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.joinAll
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.yield
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Tag
import org.junit.jupiter.api.Test
import org.springframework.boot.autoconfigure.AutoConfigurations
import org.springframework.boot.test.context.runner.ApplicationContextRunner
import org.springframework.context.ApplicationContext

/** What the page about Kotlin shows. */
@Tag("deep")
class DocsTests {

    private fun executor(): GroupExecutor = GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder().build())

    private fun GroupExecutor.tried(test: GroupExecutor.() -> Unit) {
        use {
            Deadline.within(Callable { it.test() })
            assertThat(it.awaitQuiet(Deadline.LONG)).isTrue()
        }
    }

    @Test
    fun theServiceIsLimitedAndItsFallbackAnswers() {
        ApplicationContextRunner()
            .withConfiguration(
                AutoConfigurations.of(
                    GroupConcurrencyAutoConfiguration::class.java,
                    GroupConcurrentAspectAutoConfiguration::class.java,
                ),
            )
            .withBean(ReportService::class.java)
            .run { context: ApplicationContext ->
                val reports = context.getBean(ReportService::class.java)
                val executor = context.getBean(GroupExecutor::class.java)
                Deadline.within(
                    Callable {
                        runBlocking {
                            assertThat(reports.build("a")).isEqualTo("report of a")
                            executor.setLimits("tenant:a", GroupLimits.unset().withQueueThreshold(0))
                            val permit: GroupPermit = executor.acquireAsync("tenant:a").toCompletableFuture().join()
                            assertThat(reports.build("a")).isEqualTo("last report of a (GROUP_QUEUE_FULL)")
                            permit.close()
                        }
                    },
                )
            }
    }

    @Test
    fun limitedRunsOneAfterTheOther() = executor().tried {
        val running = AtomicInteger()
        val most = AtomicInteger()
        runBlocking(Dispatchers.Default) {
            repeat(50) {
                launch {
                    limited("a") {
                        most.accumulateAndGet(running.incrementAndGet(), Math::max)
                        yield()
                        running.decrementAndGet()
                    }
                }
            }
        }
        assertThat(most).hasValue(1)
    }

    @Test
    fun whoIsCancelledWhileItWaitsLeavesTheQueue() = executor().tried {
        val permit: GroupPermit = acquireAsync("a").toCompletableFuture().join()
        runBlocking(Dispatchers.Default) {
            val waiting = launch { limited("a") { error("it never begins") } }
            Deadline.until("it waits") { groupStats("a").orElseThrow().queued() == 1 }
            waiting.cancelAndJoin()
        }
        assertThat(groupStats("a").orElseThrow().queued()).isZero()
        permit.close()
    }

    /** The permit has come, and the coroutine, whose only thread is this one, hasn't gone on yet. */
    @Test
    fun whoIsCancelledAsItsPermitComesLosesNone() = executor().tried {
        repeat(100) {
            val permit: GroupPermit = acquireAsync("a").toCompletableFuture().join()
            runBlocking {
                val waiting = launch { limited("a") { error("it never begins") } }
                while (groupStats("a").orElseThrow().queued() == 0) yield()
                permit.close()
                Deadline.until("it has its permit") { groupStats("a").orElseThrow().inFlight() == 1 }
                waiting.cancelAndJoin()
            }
            Deadline.until("the permit is back") { groupStats("a").orElseThrow().inFlight() == 0 }
        }
    }

    @Test
    fun cancellingAtAnyMomentLosesNoPermit() = executor().tried {
        runBlocking(Dispatchers.Default) {
            val jobs: List<Job> = List(500) { launch { limited("a") { yield() } } }
            jobs.forEach { if (Random.nextBoolean()) it.cancel() }
            jobs.joinAll()
        }
    }
}
