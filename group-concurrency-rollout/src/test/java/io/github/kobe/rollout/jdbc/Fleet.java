package io.github.kobe.rollout.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.rollout.DeployUnit;
import io.github.kobe.rollout.FailureReaction;
import io.github.kobe.rollout.RolloutEvent;
import io.github.kobe.rollout.RolloutPlan;
import io.github.kobe.rollout.StageContext;
import io.github.kobe.rollout.TenantChange;
import io.github.kobe.rollout.WaveSize;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What is changed in tests of several nodes, and what must hold of all that they did together. */
final class Fleet {

    static final List<String> STAGES = List.of("A", "B", "C");

    private Fleet() {}

    static RolloutPlan plan(String id, int tenants, int maxConcurrency) {
        List<TenantChange> changes = new ArrayList<>();
        for (int index = 0; index < tenants; index++) {
            changes.add(TenantChange.of("t" + index, DeployUnit.of(7, 42, "blue"), "{\"version\":42}")
                    .previous(DeployUnit.of(7, 41, "green"), "{\"version\":41}"));
        }
        return new RolloutPlan(id, maxConcurrency, changes);
    }

    /** {@return the plan with a first wave of that size, and a gate after it} */
    static RolloutPlan inWaves(RolloutPlan plan, WaveSize first, Duration bakeTime, @Nullable Duration approval) {
        return new RolloutPlan(
                plan.planId(),
                plan.maxConcurrency(),
                plan.changes(),
                List.of(first),
                null,
                FailureReaction.PAUSE,
                bakeTime,
                approval);
    }

    /** One run of a stage, as it reached the tenant. */
    record Run(String tenant, String stage, boolean back, String key, long token) {

        static Run of(StageContext ctx) {
            return new Run(
                    ctx.tenantId().value(),
                    ctx.stageName(),
                    ctx.isRollingBack(),
                    ctx.idempotencyKey(),
                    ctx.fencingToken());
        }

        static Run parse(String line) {
            String[] parts = line.split(" ", -1);
            return new Run(parts[0], parts[1], Boolean.parseBoolean(parts[2]), parts[3], Long.parseLong(parts[4]));
        }

        String line() {
            return String.join(" ", tenant, stage, String.valueOf(back), key, String.valueOf(token));
        }

        private String what() {
            return (back ? "undo " : "") + stage;
        }
    }

    /** Each tenant saw the stages in that order; one may have come again with the same key, at once and with no lower token. */
    static void assertInOrder(List<Run> runs, List<String> stages, int repeats) {
        Map<String, List<Run>> byTenant = new HashMap<>();
        runs.forEach(run -> byTenant.computeIfAbsent(run.tenant(), tenant -> new ArrayList<>())
                .add(run));
        int again = 0;
        for (List<Run> ofTenant : byTenant.values()) {
            List<String> once = new ArrayList<>();
            for (int index = 0; index < ofTenant.size(); index++) {
                Run run = ofTenant.get(index);
                Run before = index == 0 ? null : ofTenant.get(index - 1);
                if (before != null) {
                    assertThat(run.token()).as("tokens of %s", ofTenant).isGreaterThanOrEqualTo(before.token());
                }
                if (before != null && before.key().equals(run.key())) {
                    again++;
                    assertThat(run.token()).as("tokens of %s", ofTenant).isGreaterThan(before.token());
                } else {
                    once.add(run.what());
                }
            }
            assertThat(once).as("all runs: %s", ofTenant).isEqualTo(stages);
        }
        assertThat(again).as("stages that ran again").isLessThanOrEqualTo(repeats);
    }

    /** What was told of something, and under which number. */
    record Told(String subject, long number, String what) {

        static Told of(RolloutEvent event) {
            return new Told(
                    event.taskId() == null
                            ? event.planId().value()
                            : event.taskId().value(),
                    event.sequenceId(),
                    event.occurrence().getClass().getSimpleName());
        }

        static Told parse(String line) {
            String[] parts = line.split(" ", -1);
            return new Told(parts[0], Long.parseLong(parts[1]), parts[2]);
        }

        String line() {
            return subject + " " + number + " " + what;
        }
    }

    /** Whoever drops what isn't higher than what it has seen hears 1, 2, 3 and so on; what came again is the same. */
    static Map<String, Long> assertWithoutGaps(List<Told> all) {
        Map<String, Map<Long, Told>> seen = new HashMap<>();
        Map<String, Long> last = new HashMap<>();
        for (Told told : all) {
            long highest = last.getOrDefault(told.subject(), 0L);
            if (told.number() > highest) {
                assertThat(told.number()).as("after %s of %s", highest, told).isEqualTo(highest + 1);
                last.put(told.subject(), told.number());
            }
            Told same = seen.computeIfAbsent(told.subject(), subject -> new HashMap<>())
                    .putIfAbsent(told.number(), told);
            assertThat(same == null || same.equals(told))
                    .as("%s came again as %s", same, told)
                    .isTrue();
        }
        return last;
    }
}
