package io.github.kobe.spring;

import java.util.function.ToIntFunction;

/**
 * Decides how many tasks of a group may run at once, and nothing else: {@link GroupLimitsResolver} gives all numbers, and may
 * say nothing of a group. It is asked for all groups whose concurrency no exact key or pattern sets; so
 * the default concurrency isn't used beside it. A bean of this type becomes the
 * policy's resolver, unless the policy has one.
 *
 * <pre>{@code
 * @Bean
 * GroupConcurrencyResolver byContract(Contracts contracts) {
 *     return groupKey -> contracts.isGold(groupKey) ? 8 : 2;
 * }
 * }</pre>
 *
 * <p>It is called when a group is first used, on the thread that uses it, and again after
 * {@link io.github.kobe.GroupExecutor#resetLimits resetLimits} and
 * {@link io.github.kobe.GroupExecutor#updatePolicy updatePolicy}, which so apply a plan that has changed. A result below
 * 1 counts as 1; if it throws, the default applies until then. If there are several such beans and none is primary, the start-up fails.
 */
@FunctionalInterface
public interface GroupConcurrencyResolver extends ToIntFunction<String> {}
