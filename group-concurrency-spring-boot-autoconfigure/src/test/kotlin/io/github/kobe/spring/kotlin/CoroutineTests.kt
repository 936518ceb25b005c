@file:OptIn(DelicateCoroutinesApi::class)

package io.github.kobe.spring.kotlin

import io.github.kobe.GroupExecutor
import io.github.kobe.GroupPermit
import io.github.kobe.RejectedTaskException
import io.github.kobe.spring.annotation.GroupConcurrent
import io.github.kobe.spring.autoconfigure.GroupConcurrencyAutoConfiguration
import io.github.kobe.spring.method.GroupConcurrentAspectAutoConfiguration
import io.github.kobe.testing.Deadline
import java.io.IOException
import java.util.concurrent.Callable
import java.util.concurrent.atomic.AtomicInteger
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.Deferred
import kotlinx.coroutines.DelicateCoroutinesApi
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.GlobalScope
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.emitAll
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.flowOf
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import kotlinx.coroutines.yield
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatExceptionOfType
import org.junit.jupiter.api.Tag
import org.junit.jupiter.api.Test
import org.springframework.boot.autoconfigure.AutoConfigurations
import org.springframework.boot.test.context.assertj.AssertableApplicationContext
import org.springframework.boot.test.context.runner.ApplicationContextRunner
import org.springframework.context.ApplicationContext

/** Kotlin's suspend functions, Flow and Deferred. */
@Tag("deep")
class CoroutineTests {

    private val runner: ApplicationContextRunner = ApplicationContextRunner()
        .withConfiguration(
            AutoConfigurations.of(
                GroupConcurrencyAutoConfiguration::class.java,
                GroupConcurrentAspectAutoConfiguration::class.java,
            ),
        )
        .withPropertyValues("group-concurrency.global.max-in-flight=1")
        .withBean(Reports::class.java)

    private fun run(test: suspend (Reports, GroupExecutor) -> Unit) {
        runner.run { context: ApplicationContext ->
            val executor = context.getBean(GroupExecutor::class.java)
            Deadline.within(Callable { runBlocking { test(context.getBean(Reports::class.java), executor) } })
            assertThat(executor.awaitQuiet(Deadline.LONG)).isTrue()
        }
    }

    private fun GroupExecutor.of(key: String) = groupStats(key).orElseThrow()

    @Test
    fun aSuspendFunctionHoldsItsPermitWhileItIsSuspended() = run { reports, executor ->
        val open = CompletableDeferred<String>()
        val first = GlobalScope.async { reports.build("a", open) }
        Deadline.until("one runs") { executor.groupStats("tenant:a").map { it.running() == 1 }.orElse(false) }
        val second = GlobalScope.async { reports.build("a", CompletableDeferred("second")) }
        Deadline.until("one waits") { executor.of("tenant:a").queued() == 1 }

        open.complete("first")

        assertThat(awaitAll(first, second)).containsExactly("first", "second")
        assertThat(executor.of("tenant:a").totals().succeeded()).isEqualTo(2)
    }

    @Test
    fun whatItThrowsIsItsOwnAndCountsAsFailed() = run { reports, executor ->
        assertThatExceptionOfType(IOException::class.java).isThrownBy {
            runBlocking { reports.fail("a") }
        }
        assertThat(executor.of("tenant:a").totals().failed()).isEqualTo(1)
    }

    @Test
    fun nullAndUnitAreAnswers() = run { reports, _ ->
        assertThat(reports.nothing("a")).isNull()
        reports.unit("a")
    }

    @Test
    fun cancellingItsCoroutineGivesThePermitBackAndCountsAsCancelled() = run { reports, executor ->
        val job = GlobalScope.launch { reports.build("a", CompletableDeferred()) }
        Deadline.until("it runs") { executor.groupStats("tenant:a").map { it.running() == 1 }.orElse(false) }

        job.cancelAndJoin()

        assertThat(executor.awaitQuiet(Deadline.LONG)).isTrue()
        assertThat(executor.of("tenant:a").totals().cancelled()).isEqualTo(1)
    }

    @Test
    fun aSuspendFunctionWithinAnotherEnds() = run { reports, _ ->
        assertThat(reports.outer("a") { reports.build("a", CompletableDeferred("same")) }).isEqualTo("same")
        assertThat(reports.outer("a") { reports.build("b", CompletableDeferred("other")) }).isEqualTo("other")
        assertThat(
            reports.outer("a") {
                withContext(Dispatchers.Default) {
                    yield()
                    reports.build("b", CompletableDeferred("elsewhere"))
                }
            },
        ).isEqualTo("elsewhere")
        assertThat(reports.outer("a") { reports.rows("b", flowOf(1, 2)).toList().toString() }).isEqualTo("[1, 2]")
    }

    @Test
    fun neverMoreThanTheLimitRunAtOnce() = run { reports, _ ->
        val running = AtomicInteger()
        val most = AtomicInteger()
        (1..50).map {
            GlobalScope.async {
                reports.outer("a") {
                    most.accumulateAndGet(running.incrementAndGet(), Math::max)
                    yield()
                    running.decrementAndGet()
                    "done"
                }
            }
        }.awaitAll()
        assertThat(most).hasValue(1)
    }

    @Test
    fun aFallbackAnswersWhetherItSuspendsOrNot() = run { reports, executor ->
        val permit: GroupPermit = executor.acquireAsync("tenant:a").toCompletableFuture().join()
        assertThat(reports.impatient("a")).isEqualTo("busy a QUEUE_TIMEOUT")
        assertThat(reports.impatientToo("a")).isEqualTo("plain a")
        assertThat(reports.impatientRows("a").toList()).containsExactly(-1)
        permit.close()
    }

    @Test
    fun aFlowHoldsItsPermitWhileItIsCollected() = run { reports, executor ->
        val open = CompletableDeferred<Int>()
        val rows = reports.rows("a", flow { emit(1); emit(open.await()) })
        assertThat(executor.groupStats("tenant:a")).isEmpty()
        val collected = GlobalScope.async { rows.toList() }
        Deadline.until("it runs") { executor.groupStats("tenant:a").map { it.running() == 1 }.orElse(false) }

        open.complete(2)

        assertThat(collected.await()).containsExactly(1, 2)
        assertThat(reports.suspendingRows("a").toList()).containsExactly(7, 8)
        assertThat(executor.of("tenant:a").totals().succeeded()).isEqualTo(2)
    }

    @Test
    fun aDeferredIsStartedOnceThePermitIsThere() = run { reports, executor ->
        val calls = AtomicInteger()
        val permit: GroupPermit = executor.acquireAsync("tenant:a").toCompletableFuture().join()
        val deferred = reports.deferred("a") { calls.incrementAndGet().toString() }
        Deadline.until("it waits") { executor.of("tenant:a").queued() == 1 }
        assertThat(calls).hasValue(0)

        permit.close()

        assertThat(deferred.await()).isEqualTo("1")
        assertThat(calls).hasValue(1)
    }

    @Test
    fun aSuspendFunctionWhoseClassHasItReturnAFlowByATypeVariableFailsTheStartUp() {
        runner.withBean(OrderRows::class.java).run { context: AssertableApplicationContext ->
            assertThat(context.startupFailure).rootCause()
                .hasMessageContaining("with kotlinx.coroutines.flow.Flow, whose end the limit cannot see")
        }
    }
}

abstract class Rows<R>(private val rows: R) {

    @GroupConcurrent(group = "rows")
    open suspend fun read(): R = rows
}

open class OrderRows : Rows<Flow<Int>>(flowOf(1))

open class Reports {

    @GroupConcurrent(group = "tenant:#{#tenant}")
    open suspend fun build(tenant: String, report: Deferred<String>): String = report.await()

    @GroupConcurrent(group = "tenant:#{#tenant}")
    open suspend fun fail(tenant: String): String {
        yield()
        throw IOException("disk of $tenant")
    }

    @GroupConcurrent(group = "tenant:#{#tenant}")
    open suspend fun nothing(tenant: String): String? = if (tenant.isEmpty()) "something" else null

    @GroupConcurrent(group = "tenant:#{#tenant}")
    open suspend fun unit(tenant: String) {
        check(tenant.isNotEmpty())
        yield()
    }

    @GroupConcurrent(group = "tenant:#{#tenant}")
    open suspend fun outer(tenant: String, work: suspend () -> String): String {
        check(tenant.isNotEmpty())
        return work()
    }

    @GroupConcurrent(group = "tenant:#{#tenant}", queueTimeout = "1ms", fallbackMethod = "busy")
    open suspend fun impatient(tenant: String): String = tenant

    open suspend fun busy(tenant: String, rejection: RejectedTaskException): String {
        yield()
        return "busy $tenant ${rejection.reason()}"
    }

    @GroupConcurrent(group = "tenant:#{#tenant}", queueTimeout = "1ms", fallbackMethod = "plain")
    open suspend fun impatientToo(tenant: String): String = tenant

    open fun plain(tenant: String): String = "plain $tenant"

    @GroupConcurrent(group = "tenant:#{#tenant}")
    open fun rows(tenant: String, source: Flow<Int>): Flow<Int> = if (tenant.isEmpty()) flowOf() else source

    @GroupConcurrent(group = "tenant:#{#tenant}")
    open suspend fun suspendingRows(tenant: String): Flow<Int> {
        yield()
        return flow { emitAll(if (tenant.isEmpty()) flowOf() else flowOf(7, 8)) }
    }

    @GroupConcurrent(group = "tenant:#{#tenant}", queueTimeout = "1ms", fallbackMethod = "few")
    open fun impatientRows(tenant: String): Flow<Int> = flowOf(tenant.length)

    open fun few(tenant: String): Flow<Int> = flowOf(-tenant.length)

    @GroupConcurrent(group = "tenant:#{#tenant}")
    open fun deferred(tenant: String, work: () -> String): Deferred<String> =
        GlobalScope.async { if (tenant.isEmpty()) "" else work() }
}
