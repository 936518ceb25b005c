/**
 * Staged rollouts: a plan changes many tenants, each by a task of ordered stages, in parallel up to a limit.
 *
 * <pre>{@code
 * try (Rollouts rollouts = Rollouts.builder(executor)
 *         .stages(Stage.named("Migrate").step(ctx -> migrate(ctx.tenantId(), ctx.config())))
 *         .build()) {
 *     PlanInfo plan = rollouts.start(RolloutPlan.named("plan-2026-11-22")
 *             .add(TenantChange.of("acme", DeployUnit.of(7, 42, "blue"), configJson))
 *             .build());
 *     rollouts.await(plan.planId(), Duration.ofMinutes(10));
 * }
 * }</pre>
 *
 * <ul>
 *   <li>{@link io.github.kobe.rollout.Rollouts} is where to begin.
 *   <li>{@link io.github.kobe.rollout.RolloutPlan} and {@link io.github.kobe.rollout.TenantChange} say what to do,
 *       {@link io.github.kobe.rollout.Stage} how.
 *   <li>{@link io.github.kobe.rollout.PlanInfo} and {@link io.github.kobe.rollout.TaskInfo} show the progress,
 *       {@link io.github.kobe.rollout.RolloutEvent} what has happened.
 *   <li>{@link io.github.kobe.rollout.RolloutStore} stores everything; applications have no use for its records.
 * </ul>
 */
@NullMarked
package io.github.kobe.rollout;

import org.jspecify.annotations.NullMarked;
