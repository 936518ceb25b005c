package io.github.kobe.spring;

import java.util.function.ToIntFunction;

/**
 * Tells how many tasks of a group may run at once, for groups that no setting names: a bean of this type becomes the
 * policy's resolver, unless the policy has one.
 *
 * <pre>{@code
 * @Bean
 * GroupConcurrencyResolver byContract(Contracts contracts) {
 *     return groupKey -> contracts.isGold(groupKey) ? 8 : 2;
 * }
 * }</pre>
 *
 * <p>It is asked when a group is first used, by the thread that uses it. A result below 1 counts as 1; if it throws, the
 * default holds. More than one such bean, none of them primary, fails the start-up.
 */
@FunctionalInterface
public interface GroupConcurrencyResolver extends ToIntFunction<String> {}
