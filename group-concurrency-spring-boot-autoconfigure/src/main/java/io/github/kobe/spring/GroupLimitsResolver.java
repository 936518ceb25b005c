package io.github.kobe.spring;

import io.github.kobe.GroupLimits;
import java.util.Optional;
import java.util.function.Function;

/**
 * Gives groups their numbers from a table of the application's, such as a database of plans. A bean of this type becomes
 * the {@linkplain io.github.kobe.GroupPolicy.Builder#limitsResolver limits resolver} of the starter's executor, unless its
 * policy has one.
 *
 * <pre>{@code
 * @Bean
 * GroupLimitsResolver byPlan(Plans plans) {
 *     return groupKey -> plans.ofTenant(groupKey)
 *             .map(plan -> GroupLimits.unset().withMaxConcurrency(plan.atOnce()).withQueueThreshold(plan.queue()));
 * }
 * }</pre>
 *
 * <p>What an exact key of the settings says goes before; what it leaves unset is inherited from patterns and defaults. It is
 * asked when a group is first used, on the thread that uses it; about every {@code group-concurrency.limits-refresh} while
 * the group is in use; and by {@link io.github.kobe.GroupExecutor#limitsChanged(String)}. If it fails, the group keeps what
 * was known of it.
 *
 * <p>With WebFlux the thread that uses a group is that of the event loop, which must not be blocked: answer from memory there.
 *
 * <p>Start-up fails if there are several such beans and none is primary, or if there is also a
 * {@link GroupConcurrencyResolver}. Used by many threads.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface GroupLimitsResolver extends Function<String, Optional<GroupLimits>> {}
