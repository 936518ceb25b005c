package io.github.kobe.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.EffectiveLimit;
import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupStats;
import io.github.kobe.LimitSource;
import io.github.kobe.audit.Engines;
import io.github.kobe.audit.ManualClock;
import io.github.kobe.audit.Reports;
import io.github.kobe.internal.doors.EngineAccess.Surroundings;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.CapturedLog;
import io.github.kobe.testing.Gate;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("E19")
class LimitsResolverTests {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    @RegisterExtension
    final Engines engines = new Engines();

    private final ManualClock clock = new ManualClock();

    /** A table of plans, and what was asked for. */
    private final Map<String, GroupLimits> table = new ConcurrentHashMap<>();

    private final List<String> asked = new CopyOnWriteArrayList<>();
    private volatile boolean down;

    private final Reports reports = new Reports();
    private final Surroundings surroundings = reports.with(clock);

    private Optional<GroupLimits> look(String key) {
        asked.add(key);
        if (down) {
            throw new IllegalStateException("the database is away");
        }
        return Optional.ofNullable(table.get(key));
    }

    private GroupPolicy.Builder policy() {
        return GroupPolicy.builder().limitsResolver(this::look);
    }

    private static GroupLimits atOnce(int number) {
        return GroupLimits.unset().withMaxConcurrency(number);
    }

    private static int concurrency(GroupExecutor executor, String key) {
        return executor.groupStats(key).orElseThrow().maxConcurrency().value();
    }

    private static void use(GroupExecutor executor, String... keys) throws Exception {
        for (String key : keys) {
            executor.call(key, () -> "used");
        }
    }

    private static void pass(Gate gate) {
        try {
            gate.pass();
        } catch (InterruptedException never) {
            throw new AssertionError(never);
        }
    }

    // ---- which number goes before which

    @Test
    void itGivesAllNumbersOfAGroupAndWhatItLeavesUnsetIsInherited() throws Exception {
        table.put("tenant:a", GroupLimits.unset().withMaxConcurrency(7).withWeight(3));
        table.put("vip", GroupLimits.unset().withMaxConcurrency(9).withQueueTimeout(MINUTE));
        GroupExecutor executor = engines.startPlain(policy().group("vip", atOnce(5))
                .pattern("tenant:*", atOnce(4).withQueueThreshold(40))
                .concurrencyResolver(key -> 3)
                .defaults(atOnce(2).withQueueThreshold(20))
                .build());
        use(executor, "tenant:a", "tenant:b", "vip", "other");

        GroupStats a = executor.groupStats("tenant:a").orElseThrow();
        assertThat(a.maxConcurrency()).isEqualTo(new EffectiveLimit<>(7, LimitSource.RESOLVER));
        assertThat(a.weight()).isEqualTo(new EffectiveLimit<>(3, LimitSource.RESOLVER));
        assertThat(a.queueThreshold()).isEqualTo(new EffectiveLimit<>(40, LimitSource.PATTERN));
        assertThat(a.rule()).contains("tenant:*");
        assertThat(executor.groupStats("tenant:b").orElseThrow().maxConcurrency())
                .isEqualTo(new EffectiveLimit<>(4, LimitSource.PATTERN));
        GroupStats vip = executor.groupStats("vip").orElseThrow();
        assertThat(vip.maxConcurrency()).isEqualTo(new EffectiveLimit<>(5, LimitSource.CONFIGURED));
        assertThat(vip.queueTimeout()).isEqualTo(new EffectiveLimit<>(MINUTE, LimitSource.RESOLVER));
        assertThat(executor.groupStats("other").orElseThrow().maxConcurrency())
                .isEqualTo(new EffectiveLimit<>(3, LimitSource.RESOLVER));
        assertThat(executor.groupStats("other").orElseThrow().queueThreshold())
                .isEqualTo(new EffectiveLimit<>(20, LimitSource.DEFAULT));
    }

    @Test
    void anExplanationTellsOnlyWhatTheResolverCantChange() throws Exception {
        GroupPolicy policy =
                policy().group("vip", atOnce(5)).pattern("t:*", atOnce(4)).build();

        assertThat(policy.explain("vip").maxConcurrency()).contains(new EffectiveLimit<>(5, LimitSource.CONFIGURED));
        assertThat(policy.explain("vip").maxInFlight()).contains(new EffectiveLimit<>(5, LimitSource.CONFIGURED));
        assertThat(policy.explain("t:a").maxConcurrency()).isEmpty();
        assertThat(policy.explain("x").maxConcurrency()).isEmpty();
        assertThat(policy.explain("x").maxInFlight()).isEmpty();
        assertThat(asked).isEmpty();
    }

    @Test
    void itIsAskedOnceForAGroupAndNotAgainByOverridesOrAnotherPolicy() throws Exception {
        table.put("a", atOnce(2));
        GroupExecutor executor = engines.startPlain(policy().build());
        use(executor, "a", "a");
        table.put("a", atOnce(3));

        executor.setLimits("a", GroupLimits.unset().withWeight(2));
        executor.resetLimits("a");
        executor.updatePolicy(
                executor.policy().toBuilder().globalMaxInFlight(10).build());

        assertThat(asked).containsExactly("a");
        assertThat(concurrency(executor, "a")).isEqualTo(2);
    }

    @Test
    void aGroupThatIsForgottenIsAskedForAgain() throws Exception {
        GroupExecutor executor = engines.startPlain(policy().build());
        use(executor, "a");
        table.put("a", atOnce(3));
        executor.evictGroup("a");
        use(executor, "a");

        assertThat(concurrency(executor, "a")).isEqualTo(3);
    }

    @Test
    void aGroupThatIsEvictedInUseIsAskedForAgain() throws Exception {
        GroupExecutor executor = engines.startPlain(policy().build());
        Gate gate = new Gate();
        Caller<String> holder = Caller.start(() -> executor.call("a", gate.then("held")));
        gate.awaitArrived(1);
        table.put("a", atOnce(3));

        executor.evictGroup("a");

        assertThat(concurrency(executor, "a")).isEqualTo(3);
        gate.open();
        holder.result();
    }

    @Test
    void anotherResolverIsAskedForAllGroupsAndNoneForNoneOfThem() throws Exception {
        table.put("a", atOnce(2));
        GroupExecutor executor = engines.startPlain(policy().build());
        use(executor, "a");
        Function<String, Optional<GroupLimits>> other = key -> Optional.of(atOnce(8));

        executor.updatePolicy(
                executor.policy().toBuilder().limitsResolver(other).build());
        assertThat(concurrency(executor, "a")).isEqualTo(8);

        executor.updatePolicy(executor.policy().toBuilder().limitsResolver(null).build());
        assertThat(concurrency(executor, "a")).isEqualTo(1);
    }

    // ---- what changes

    @Test
    void whatHasChangedIsInForceOnceThatIsSaid() throws Exception {
        table.put("a", atOnce(1));
        GroupExecutor executor = engines.start(policy().build());
        Gate gate = new Gate();
        executor.submit("a", "1", gate.then("one"));
        executor.submit("a", "2", gate.then("two"));
        gate.awaitArrived(1);
        table.put("a", atOnce(2));

        executor.limitsChanged("a");

        gate.awaitArrived(2);
        assertThat(concurrency(executor, "a")).isEqualTo(2);
        executor.limitsChanged("unknown");
        assertThat(asked).containsExactly("a", "a");
        gate.open();
    }

    @Test
    void anOverrideStaysAboveWhatHasChanged() throws Exception {
        GroupExecutor executor = engines.startPlain(policy().build());
        executor.setLimits("a", atOnce(6));
        table.put("a", GroupLimits.unset().withMaxConcurrency(2).withWeight(9));

        executor.limitsChanged();

        assertThat(concurrency(executor, "a")).isEqualTo(6);
        assertThat(executor.groupStats("a").orElseThrow().weight().value()).isEqualTo(9);
        executor.resetLimits("a");
        assertThat(concurrency(executor, "a")).isEqualTo(2);
    }

    @Test
    @Tag("K5")
    void whatChangesWhileAGroupIsAskedForIsAskedForAgain() throws Exception {
        Gate gate = new Gate();
        table.put("a", atOnce(2));
        GroupExecutor executor = engines.startPlain(GroupPolicy.builder()
                .limitsResolver(key -> {
                    Optional<GroupLimits> known = look(key);
                    pass(gate);
                    return known;
                })
                .build());
        Caller<String> first = Caller.start(() -> executor.call("a", () -> "done"));
        gate.awaitArrived(1);

        table.put("a", atOnce(5));
        executor.limitsChanged("a"); // the group isn't there yet
        gate.open();

        first.result();
        assertThat(concurrency(executor, "a")).isEqualTo(5);
    }

    @Test
    @Tag("K5")
    void anAnswerThatWasAskedForBeforeIsNotPutAboveALaterOne() throws Exception {
        Gate slow = new Gate();
        GroupExecutor executor = engines.startPlain(GroupPolicy.builder()
                .limitsResolver(key -> {
                    Optional<GroupLimits> known = look(key);
                    if (known.isPresent() && known.get().equals(atOnce(2))) {
                        pass(slow);
                    }
                    return known;
                })
                .build());
        use(executor, "a");
        table.put("a", atOnce(2));
        Caller<Boolean> early = Caller.start(() -> {
            executor.limitsChanged("a");
            return true;
        });
        slow.awaitArrived(1);
        table.put("a", atOnce(3));
        executor.limitsChanged("a");

        slow.open();
        early.result();

        assertThat(concurrency(executor, "a")).isEqualTo(3);
    }

    // ---- now and then

    @Test
    void groupsInUseAreAskedForInEachInterval() throws Exception {
        GroupExecutor executor =
                engines.startPlain(policy().limitsRefresh(MINUTE).build(), surroundings);
        use(executor, "used", "unused");
        advance(executor, MINUTE);
        assertThat(asked).containsExactly("used", "unused", "used", "unused");
        asked.clear();

        use(executor, "used");
        table.put("used", atOnce(4));
        advance(executor, MINUTE);

        assertThat(concurrency(executor, "used")).isEqualTo(4);
        assertThat(asked).containsExactly("used");
    }

    @Test
    void aPolicyThatAsksTheSameAsOftenPutsNothingOff() throws Exception {
        GroupExecutor executor =
                engines.startPlain(policy().limitsRefresh(MINUTE).build(), surroundings);
        use(executor, "a");
        executor.updatePolicy(executor.policy().toBuilder().build());
        asked.clear();

        for (int i = 0; i < 4; i++) {
            advance(executor, MINUTE.dividedBy(4));
            executor.updatePolicy(executor.policy().toBuilder().build());
        }

        assertThat(asked).containsExactly("a");
    }

    @Test
    void aGroupThatStillRunsIsInUse() throws Exception {
        GroupExecutor executor =
                engines.startPlain(policy().limitsRefresh(MINUTE).build(), surroundings);
        Gate gate = new Gate();
        Caller<String> holder = Caller.start(() -> executor.call("a", gate.then("held")));
        gate.awaitArrived(1);

        for (int i = 1; i <= 3; i++) {
            table.put("a", atOnce(i));
            advance(executor, MINUTE);
            assertThat(concurrency(executor, "a")).isEqualTo(i);
        }
        gate.open();
        holder.result();
    }

    @Test
    void withoutAnIntervalNobodyIsAskedAgainAndNoAlarmIsSet() throws Exception {
        GroupExecutor executor = engines.startPlain(policy().build(), surroundings);
        use(executor, "a");

        advance(executor, Duration.ofDays(1));

        assertThat(asked).containsExactly("a");
    }

    // ---- failures

    @Test
    void aFailureKeepsWhatWasKnownIsLoggedOnceAMinuteAndIsAskedForAgain() throws Exception {
        table.put("a", atOnce(4));
        GroupExecutor executor = engines.startPlain(policy().build(), surroundings);
        use(executor, "a");
        down = true;
        table.put("a", atOnce(5));
        table.put("b", atOnce(6));
        try (CapturedLog log = CapturedLog.open()) {
            executor.limitsChanged("a");
            use(executor, "b");
            assertThat(concurrency(executor, "a")).as("what was known").isEqualTo(4);
            assertThat(concurrency(executor, "b")).as("what is inherited").isEqualTo(1);
            assertThat(log.warnings()).hasSize(1).first().asString().contains("'a'", "asked again");

            advance(executor, Duration.ofSeconds(10));
            assertThat(asked).containsExactly("a", "a", "b", "a", "b");
            assertThat(log.warnings()).hasSize(1);

            down = false;
            advance(executor, Duration.ofSeconds(10));
            assertThat(concurrency(executor, "a")).isEqualTo(5);
            assertThat(concurrency(executor, "b")).isEqualTo(6);
            int questions = asked.size();
            advance(executor, Duration.ofHours(1));
            assertThat(asked).as("all are answered").hasSize(questions);
        }
    }

    @Test
    void anAnswerOutOfRangeIsAFailure() throws Exception {
        table.put("a", GroupLimits.unset().withMaxConcurrency(3).withWeight(0));
        GroupExecutor executor = engines.startPlain(policy().build(), surroundings);
        try (CapturedLog log = CapturedLog.open()) {
            use(executor, "a");

            assertThat(concurrency(executor, "a")).isEqualTo(1);
            assertThat(log.thrown())
                    .singleElement()
                    .satisfies(failure ->
                            assertThat(failure).hasMessageContaining("weight").hasMessageContaining("1 to 1000"));
        }
    }

    @Test
    @SuppressWarnings("NullOptional")
    void nullIsAFailure() throws Exception {
        GroupExecutor executor = engines.startPlain(
                GroupPolicy.builder().limitsResolver(key -> null).build(), surroundings);
        try (CapturedLog log = CapturedLog.open()) {
            use(executor, "a");

            assertThat(log.thrown())
                    .singleElement()
                    .satisfies(failure -> assertThat(failure).hasMessageContaining("returned null"));
        }
    }

    @Test
    void aResolverThatIsDownIsNotAskedForEachGroupInTurn() throws Exception {
        GroupExecutor executor =
                engines.startPlain(policy().limitsRefresh(MINUTE).build(), surroundings);
        String[] keys = {"a", "b", "c", "d", "e", "f", "g"};
        use(executor, keys);
        asked.clear();
        down = true;
        try (CapturedLog log = CapturedLog.open()) {
            executor.limitsChanged();
            assertThat(asked).as("it gives up").containsExactly("a", "b", "c");

            down = false;
            advance(executor, Duration.ofSeconds(10));
            assertThat(asked)
                    .as("those that were left are asked for first")
                    .containsExactly("a", "b", "c", "d", "e", "f", "g", "a", "b", "c");
            assertThat(log.warnings()).hasSize(1);
        }
    }

    @Test
    void aRefreshThatAResolverThatIsDownCutsShortGoesOnWithTheGroupsThatWereLeft() throws Exception {
        GroupExecutor executor =
                engines.startPlain(policy().limitsRefresh(MINUTE).build(), surroundings);
        use(executor, "a", "b", "c", "d", "e", "f", "g");
        asked.clear();
        down = true;
        try (CapturedLog log = CapturedLog.open()) {
            advance(executor, MINUTE);
            assertThat(asked).as("it gives up").containsExactly("a", "b", "c");

            down = false;
            advance(executor, Duration.ofSeconds(10));
            assertThat(asked)
                    .as("those that were left are asked for first")
                    .containsExactly("a", "b", "c", "d", "e", "f", "g", "a", "b", "c");
            use(executor, "a", "d");
            advance(executor, Duration.ofSeconds(10));
            assertThat(asked).as("all are answered").hasSize(10);
            assertThat(log.warnings()).hasSize(1);
        }
    }

    /** Moves on, and waits for what this begins. */
    private void advance(GroupExecutor executor, Duration time) {
        clock.advance(time, executor);
        reports.awaitEnd();
    }
}
