package io.github.kobe.spring.kotlin

import io.github.kobe.GroupExecutor
import io.github.kobe.RejectedTaskException
import io.github.kobe.RejectionReason
import io.github.kobe.spring.annotation.GroupConcurrent
import io.github.kobe.spring.autoconfigure.GroupConcurrencyAutoConfiguration
import io.github.kobe.spring.method.GroupConcurrentAspectAutoConfiguration
import io.github.kobe.testing.Deadline
import java.util.concurrent.Callable
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.yield
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatExceptionOfType
import org.assertj.core.api.Assertions.assertThatIllegalStateException
import org.junit.jupiter.api.Tag
import org.junit.jupiter.api.Test
import org.springframework.boot.autoconfigure.AutoConfigurations
import org.springframework.boot.test.context.runner.ApplicationContextRunner
import org.springframework.context.ApplicationContext

/** What calls of Kotlin's functions cost of the rates of their groups. */
@Tag("deep")
@Tag("RA6")
class CostTests {

    private val runner: ApplicationContextRunner = ApplicationContextRunner()
        .withConfiguration(
            AutoConfigurations.of(
                GroupConcurrencyAutoConfiguration::class.java,
                GroupConcurrentAspectAutoConfiguration::class.java,
            ),
        )
        .withPropertyValues("group-concurrency.groups[llm-*].rates[0]=tokens 10000 per 30d burst 5000")
        .withBean(Prompts::class.java)

    private fun run(test: suspend (Prompts, GroupExecutor) -> Unit) {
        runner.run { context: ApplicationContext ->
            val executor = context.getBean(GroupExecutor::class.java)
            Deadline.within(Callable { runBlocking { test(context.getBean(Prompts::class.java), executor) } })
            assertThat(executor.awaitQuiet(Deadline.LONG)).isTrue()
        }
    }

    /** What is charged; at this pace one comes back each eight minutes. */
    private fun GroupExecutor.charged(key: String) = groupStats(key).orElseThrow().rateStats().first().used()

    @Test
    fun aSuspendFunctionCostsWhatItsParametersSay() = run { prompts, executor ->
        assertThat(prompts.suspending("a", "x".repeat(400))).isEqualTo("400")
        assertThat(executor.charged("llm-a")).isEqualTo(100)

        assertThat(prompts.suspending("a", "x".repeat(40))).isEqualTo("40")
        assertThat(executor.charged("llm-a")).isEqualTo(110)
    }

    @Test
    fun aPlainFunctionCostsWhatItsParametersSay() = run { prompts, executor ->
        assertThat(prompts.plain("a", "x".repeat(400))).isEqualTo("400")
        assertThat(executor.charged("llm-a")).isEqualTo(100)
    }

    @Test
    fun whatOneCostsAboveTheLimitIsRejected() = run { prompts, _ ->
        val prompt = "x".repeat(4 * 10_001)
        assertThatExceptionOfType(RejectedTaskException::class.java)
            .isThrownBy { runBlocking { prompts.suspending("a", prompt) } }
            .satisfies({ assertThat(it.reason()).isEqualTo(RejectionReason.RATE_LIMITED) })
        assertThatExceptionOfType(RejectedTaskException::class.java)
            .isThrownBy { prompts.plain("a", prompt) }
            .satisfies({ assertThat(it.reason()).isEqualTo(RejectionReason.RATE_LIMITED) })
    }

    @Test
    @Tag("RA7")
    fun whatAPlainFunctionHasUsedIsSettledAndOfASuspendFunctionTheEstimateStands() = run { prompts, executor ->
        prompts.settling("a", "x".repeat(400), executor)
        assertThat(executor.charged("llm-a")).isEqualTo(30)

        // Its caller's dispatcher runs it, so no thread is inside its permit.
        assertThatIllegalStateException()
            .isThrownBy { runBlocking { prompts.suspendingToSettle("b", "x".repeat(400), executor) } }
            .withMessageContaining("inside no work")
        assertThat(executor.charged("llm-b")).isEqualTo(100)
    }
}

open class Prompts {

    @GroupConcurrent(group = "llm-#{#tenant}", cost = ["tokens=#prompt.length() / 4"])
    open suspend fun suspending(tenant: String, prompt: String): String {
        check(tenant.isNotEmpty())
        yield()
        return prompt.length.toString()
    }

    @GroupConcurrent(group = "llm-#{#tenant}", cost = ["tokens=#prompt.length() / 4"])
    open fun plain(tenant: String, prompt: String): String {
        check(tenant.isNotEmpty())
        return prompt.length.toString()
    }

    @GroupConcurrent(group = "llm-#{#tenant}", cost = ["tokens=#prompt.length() / 4"])
    open fun settling(tenant: String, prompt: String, executor: GroupExecutor) {
        check(tenant.isNotEmpty() && prompt.isNotEmpty())
        executor.settle("tokens", 30)
    }

    @GroupConcurrent(group = "llm-#{#tenant}", cost = ["tokens=#prompt.length() / 4"])
    open suspend fun suspendingToSettle(tenant: String, prompt: String, executor: GroupExecutor) {
        check(tenant.isNotEmpty() && prompt.isNotEmpty())
        executor.settle("tokens", 30)
        yield()
    }
}
