package io.github.kobe.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupRecorder;
import io.github.kobe.GroupResult;
import io.github.kobe.GroupTaskDecorator;
import io.github.kobe.RejectionHandler;
import io.github.kobe.RejectionPolicy;
import io.github.kobe.TaskLifecycleListener;
import io.github.kobe.TaskTracer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntFunction;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class GroupPolicyTests {

    @Tag("G2")
    @Test
    void byDefaultAGroupHasOneTaskInFlightAndNeitherQueuesNorAllGroupsAreLimited() {
        GroupPolicy policy = GroupPolicy.builder().build();

        assertThat(policy.defaultMaxConcurrencyPerGroup()).isEqualTo(1);
        assertThat(policy.globalMaxInFlight()).isEqualTo(Integer.MAX_VALUE);
        assertThat(policy.defaultMaxInFlightPerGroup()).isEqualTo(1);
        assertThat(policy.globalQueueThreshold()).isEqualTo(Integer.MAX_VALUE);
        assertThat(policy.defaultQueueThresholdPerGroup()).isEqualTo(Integer.MAX_VALUE);
        assertThat(policy.queueTimeout()).isEqualTo(GroupLimits.NO_TIMEOUT);
    }

    @Tag("G2")
    @Test
    void byDefaultRejectedTasksAbortAndNoUserCodeIsCalled() {
        GroupPolicy policy = GroupPolicy.builder().build();

        assertThat(policy.rejectionPolicy()).isEqualTo(RejectionPolicy.ABORT);
        assertThat(policy.rejectionHandler()).isEmpty();
        assertThat(policy.concurrencyResolver()).isEmpty();
        assertThat(policy.taskLifecycleListeners()).isEmpty();
        assertThat(policy.taskDecorators()).isEmpty();
    }

    @Tag("G2")
    @Tag("E10")
    @Test
    void byDefaultAThousandIdleGroupsAreKeptForTenMinutes() {
        GroupPolicy policy = GroupPolicy.builder().build();

        assertThat(policy.maxIdleGroups()).isEqualTo(1_000);
        assertThat(policy.idleTimeout()).isEqualTo(Duration.ofMinutes(10));
    }

    @Tag("G2")
    @Tag("E1")
    @Test
    void byDefaultTheDefaultsAreCompleteButForMaxInFlightAndNothingIsNamed() {
        GroupPolicy policy = GroupPolicy.builder().build();

        assertThat(policy.defaults())
                .isEqualTo(GroupLimits.unset()
                        .withMaxConcurrency(1)
                        .withQueueThreshold(Integer.MAX_VALUE)
                        .withQueueTimeout(GroupLimits.NO_TIMEOUT)
                        .withWeight(1)
                        .withGuaranteed(0));
        assertThat(policy.groups()).isEmpty();
        assertThat(policy.patterns()).isEmpty();
    }

    @Tag("G10")
    @Test
    void everySettingCanBeReadBack() {
        RejectionHandler handler = (groupKey, taskId, task) -> {
            return GroupResult.rejected(groupKey, taskId);
        };
        GroupTaskDecorator decorator = (groupKey, task) -> {
            return task;
        };
        ToIntFunction<String> resolver = String::length;
        TaskLifecycleListener listener = new TaskLifecycleListener() {};
        TaskTracer tracer = (groupKey, taskId) -> null;
        GroupRecorder.Factory recorders = (groupKey, rule) -> null;

        GroupPolicy policy = GroupPolicy.builder()
                .globalMaxInFlight(11)
                .globalQueueThreshold(12)
                .defaultMaxConcurrencyPerGroup(13)
                .defaultMaxInFlightPerGroup(14)
                .defaultQueueThresholdPerGroup(15)
                .queueTimeout(Duration.ofSeconds(16))
                .perGroupMaxConcurrency(Map.of("a", 17))
                .perGroupMaxInFlight(Map.of("a", 18))
                .perGroupQueueThreshold(Map.of("a", 19))
                .rejectionPolicy(RejectionPolicy.DISCARD)
                .rejectionHandler(handler)
                .concurrencyResolver(resolver)
                .taskLifecycleListener(listener)
                .taskTracer(tracer)
                .taskDecorator(decorator)
                .recorderFactory(recorders)
                .maxIdleGroups(20)
                .idleTimeout(Duration.ofSeconds(21))
                .build();

        assertThat(policy.globalMaxInFlight()).isEqualTo(11);
        assertThat(policy.globalQueueThreshold()).isEqualTo(12);
        assertThat(policy.defaultMaxConcurrencyPerGroup()).isEqualTo(13);
        assertThat(policy.defaultMaxInFlightPerGroup()).isEqualTo(14);
        assertThat(policy.defaultQueueThresholdPerGroup()).isEqualTo(15);
        assertThat(policy.queueTimeout()).isEqualTo(Duration.ofSeconds(16));
        assertThat(policy.perGroupMaxConcurrency()).containsOnly(Map.entry("a", 17));
        assertThat(policy.perGroupMaxInFlight()).containsOnly(Map.entry("a", 18));
        assertThat(policy.perGroupQueueThreshold()).containsOnly(Map.entry("a", 19));
        assertThat(policy.rejectionPolicy()).isEqualTo(RejectionPolicy.DISCARD);
        assertThat(policy.rejectionHandler()).containsSame(handler);
        assertThat(policy.concurrencyResolver()).containsSame(resolver);
        assertThat(policy.taskLifecycleListeners()).containsExactly(listener);
        assertThat(policy.taskTracers()).containsExactly(tracer);
        assertThat(policy.taskDecorators()).containsExactly(decorator);
        assertThat(policy.recorderFactory()).containsSame(recorders);
        assertThat(policy.maxIdleGroups()).isEqualTo(20);
        assertThat(policy.idleTimeout()).isEqualTo(Duration.ofSeconds(21));
    }

    @Tag("G10")
    @Test
    void theBuilderCopiesTheMapsItIsGiven() {
        Map<String, Integer> numbers = new HashMap<>(Map.of("a", 2));
        GroupPolicy.Builder builder = GroupPolicy.builder()
                .perGroupMaxConcurrency(numbers)
                .perGroupMaxInFlight(numbers)
                .perGroupQueueThreshold(numbers);

        numbers.put("a", 9);
        numbers.put("b", 9);
        GroupPolicy policy = builder.build();

        assertThat(policy.perGroupMaxConcurrency()).containsOnly(Map.entry("a", 2));
        assertThat(policy.perGroupMaxInFlight()).containsOnly(Map.entry("a", 2));
        assertThat(policy.perGroupQueueThreshold()).containsOnly(Map.entry("a", 2));
    }

    @Tag("G10")
    @Test
    void theMapsOfAPolicyCannotBeChanged() {
        GroupPolicy policy = GroupPolicy.builder()
                .group("a", GroupLimits.unset().withMaxConcurrency(2))
                .pattern("b*", GroupLimits.unset())
                .build();

        assertThatThrownBy(() -> policy.groups().put("b", GroupLimits.unset()))
                .isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> policy.patterns().remove("b*")).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> policy.perGroupMaxConcurrency().put("b", 1))
                .isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> policy.perGroupMaxInFlight().put("b", 1))
                .isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> policy.perGroupQueueThreshold().put("b", 1))
                .isInstanceOf(UnsupportedOperationException.class);
    }

    @Tag("G10")
    @Test
    void aPolicyDoesNotChangeWithItsBuilder() {
        GroupPolicy.Builder builder =
                GroupPolicy.builder().group("a", GroupLimits.unset().withMaxConcurrency(2));
        GroupPolicy policy = builder.build();

        builder.globalMaxInFlight(5)
                .defaultMaxConcurrencyPerGroup(6)
                .group("a", GroupLimits.unset().withMaxConcurrency(7))
                .pattern("*", GroupLimits.unset().withMaxInFlight(8));

        assertThat(policy.globalMaxInFlight()).isEqualTo(Integer.MAX_VALUE);
        assertThat(policy.explain("a").maxConcurrency().orElseThrow().value()).isEqualTo(2);
        assertThat(policy.explain("b").maxConcurrency().orElseThrow().value()).isEqualTo(1);
        assertThat(policy.explain("b").maxInFlight().orElseThrow().value()).isEqualTo(1);
    }

    @Tag("E1")
    @Test
    void toBuilderKeepsEverySetting() {
        TaskLifecycleListener listener = new TaskLifecycleListener() {};
        TaskTracer tracer = (groupKey, taskId) -> null;
        GroupRecorder.Factory recorders = (groupKey, rule) -> null;
        RejectionHandler handler = (groupKey, taskId, task) -> {
            return GroupResult.rejected(groupKey, taskId);
        };
        GroupTaskDecorator decorator = (groupKey, task) -> {
            return task;
        };
        GroupPolicy policy = GroupPolicy.builder()
                .globalMaxInFlight(11)
                .globalQueueThreshold(12)
                .defaults(
                        GroupLimits.unset().withMaxConcurrency(3).withWeight(5).withClusterMaxInFlight(30))
                .group("a", GroupLimits.unset().withMaxInFlight(4))
                .pattern("b*", GroupLimits.unset().withQueueTimeout(Duration.ofSeconds(6)))
                .rejectionPolicy(RejectionPolicy.CALLER_RUNS)
                .rejectionHandler(handler)
                .concurrencyResolver(String::length)
                .taskLifecycleListener(listener)
                .taskTracer(tracer)
                .taskDecorator(decorator)
                .recorderFactory(recorders)
                .maxIdleGroups(7)
                .idleTimeout(Duration.ofSeconds(8))
                .build();

        GroupPolicy copy = policy.toBuilder().build();

        assertThat(copy.globalMaxInFlight()).isEqualTo(11);
        assertThat(copy.globalQueueThreshold()).isEqualTo(12);
        assertThat(copy.defaults()).isEqualTo(policy.defaults());
        assertThat(copy.groups()).isEqualTo(policy.groups());
        assertThat(copy.patterns()).isEqualTo(policy.patterns());
        assertThat(copy.rejectionPolicy()).isEqualTo(RejectionPolicy.CALLER_RUNS);
        assertThat(copy.rejectionHandler()).containsSame(handler);
        assertThat(copy.concurrencyResolver()).isEqualTo(policy.concurrencyResolver());
        assertThat(copy.taskLifecycleListeners()).containsExactly(listener);
        assertThat(copy.taskTracers()).containsExactly(tracer);
        assertThat(copy.taskDecorators()).containsExactly(decorator);
        assertThat(copy.recorderFactory()).containsSame(recorders);
        assertThat(copy.maxIdleGroups()).isEqualTo(7);
        assertThat(copy.idleTimeout()).isEqualTo(Duration.ofSeconds(8));
    }

    @Tag("E1")
    @Test
    void theOlderSettersAreShorthandForTheSameState() {
        GroupPolicy shorthand = GroupPolicy.builder()
                .defaultMaxConcurrencyPerGroup(2)
                .defaultMaxInFlightPerGroup(3)
                .defaultQueueThresholdPerGroup(4)
                .queueTimeout(Duration.ofSeconds(5))
                .perGroupMaxConcurrency(Map.of("a", 6))
                .perGroupMaxInFlight(Map.of("a", 7))
                .perGroupQueueThreshold(Map.of("a", 8))
                .build();
        GroupPolicy whole = GroupPolicy.builder()
                .defaults(GroupLimits.unset()
                        .withMaxConcurrency(2)
                        .withMaxInFlight(3)
                        .withQueueThreshold(4)
                        .withQueueTimeout(Duration.ofSeconds(5)))
                .group(
                        "a",
                        GroupLimits.unset()
                                .withMaxConcurrency(6)
                                .withMaxInFlight(7)
                                .withQueueThreshold(8))
                .build();

        assertThat(shorthand.defaults()).isEqualTo(whole.defaults());
        assertThat(shorthand.groups()).isEqualTo(whole.groups());
    }

    @Tag("E1")
    @Test
    void aPerGroupMapReplacesOnlyItsOwnNumber() {
        GroupPolicy policy = GroupPolicy.builder()
                .group("a", GroupLimits.unset().withMaxConcurrency(2).withMaxInFlight(3))
                .perGroupMaxConcurrency(Map.of("b", 4))
                .build();

        assertThat(policy.perGroupMaxConcurrency()).containsOnly(Map.entry("b", 4));
        assertThat(policy.perGroupMaxInFlight()).containsOnly(Map.entry("a", 3));
    }

    @Tag("G10")
    @Test
    void theBuilderTakesNoNullKeysMapsOrLimits() {
        GroupPolicy.Builder builder = GroupPolicy.builder();
        Map<String, Integer> nullKey = new HashMap<>();
        nullKey.put(null, 1);

        assertThatNullPointerException().isThrownBy(() -> builder.group(null, GroupLimits.unset()));
        assertThatNullPointerException().isThrownBy(() -> builder.group("a", null));
        assertThatNullPointerException().isThrownBy(() -> builder.pattern(null, GroupLimits.unset()));
        assertThatNullPointerException().isThrownBy(() -> builder.pattern("a*", null));
        assertThatNullPointerException().isThrownBy(() -> builder.defaults(null));
        assertThatNullPointerException().isThrownBy(() -> builder.perGroupMaxConcurrency(null));
        assertThatNullPointerException().isThrownBy(() -> builder.perGroupMaxConcurrency(nullKey));
        assertThatNullPointerException().isThrownBy(() -> builder.queueTimeout(null));
        assertThatNullPointerException().isThrownBy(() -> builder.idleTimeout(null));
    }

    @Test
    @Tag("E1")
    void noTimeOutConvertsToNanosecondsAndMilliseconds() {
        assertThat(GroupLimits.NO_TIMEOUT.toNanos()).isEqualTo(Long.MAX_VALUE);
        assertThat(GroupLimits.NO_TIMEOUT.toMillis()).isPositive();
    }

    @Tag("G10")
    @Test
    void listenersTracersAndDecoratorsAddUpInTheirOrder() {
        TaskLifecycleListener listener = new TaskLifecycleListener() {};
        TaskLifecycleListener otherListener = new TaskLifecycleListener() {};
        TaskTracer tracer = (groupKey, taskId) -> null;
        TaskTracer otherTracer = (groupKey, taskId) -> null;
        GroupTaskDecorator decorator = (groupKey, task) -> task;
        GroupTaskDecorator otherDecorator = (groupKey, task) -> task;

        GroupPolicy policy = GroupPolicy.builder()
                .taskLifecycleListener(listener)
                .taskTracer(tracer)
                .taskDecorator(decorator)
                .build()
                .toBuilder()
                .addTaskLifecycleListener(otherListener)
                .addTaskTracer(otherTracer)
                .addTaskDecorator(otherDecorator)
                .build();

        assertThat(policy.taskLifecycleListeners()).containsExactly(listener, otherListener);
        assertThat(policy.taskTracers()).containsExactly(tracer, otherTracer);
        assertThat(policy.taskDecorators()).containsExactly(decorator, otherDecorator);
    }

    @Tag("G10")
    @Test
    void oneThatIsSetTakesThePlaceOfThoseBefore() {
        TaskLifecycleListener listener = new TaskLifecycleListener() {};
        TaskTracer tracer = (groupKey, taskId) -> null;
        GroupTaskDecorator decorator = (groupKey, task) -> task;

        GroupPolicy policy = GroupPolicy.builder()
                .addTaskLifecycleListener(new TaskLifecycleListener() {})
                .addTaskTracer((groupKey, taskId) -> null)
                .addTaskDecorator((groupKey, task) -> task)
                .taskLifecycleListener(listener)
                .taskTracer(tracer)
                .taskDecorator(decorator)
                .build();

        assertThat(policy.taskLifecycleListeners()).containsExactly(listener);
        assertThat(policy.taskTracers()).containsExactly(tracer);
        assertThat(policy.taskDecorators()).containsExactly(decorator);
    }

    @Tag("G10")
    @Test
    void aListOfThemTakesThePlaceOfThoseBefore() {
        TaskLifecycleListener listener = new TaskLifecycleListener() {};
        List<TaskLifecycleListener> listeners = new ArrayList<>(List.of(listener));

        GroupPolicy policy = GroupPolicy.builder()
                .taskLifecycleListener(new TaskLifecycleListener() {})
                .taskTracer((groupKey, taskId) -> null)
                .taskDecorator((groupKey, task) -> task)
                .taskLifecycleListeners(listeners)
                .taskTracers(List.of())
                .taskDecorators(List.of())
                .build();
        listeners.clear();

        assertThat(policy.taskLifecycleListeners()).containsExactly(listener);
        assertThat(policy.taskTracers()).isEmpty();
        assertThat(policy.taskDecorators()).isEmpty();
    }

    @Tag("G10")
    @Test
    void theListsOfAPolicyCannotBeChanged() {
        GroupPolicy policy = GroupPolicy.builder().build();

        assertThatThrownBy(() -> policy.taskLifecycleListeners().add(new TaskLifecycleListener() {}))
                .isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> policy.taskTracers().add((groupKey, taskId) -> null))
                .isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> policy.taskDecorators().add((groupKey, task) -> task))
                .isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void nothingThatIsAddedIsNull() {
        GroupPolicy.Builder builder = GroupPolicy.builder();

        assertThatNullPointerException()
                .isThrownBy(() -> builder.taskLifecycleListener(null))
                .withMessage("taskLifecycleListener");
        assertThatNullPointerException()
                .isThrownBy(() -> builder.taskTracer(null))
                .withMessage("taskTracer");
        assertThatNullPointerException()
                .isThrownBy(() -> builder.taskDecorator(null))
                .withMessage("taskDecorator");
        assertThatNullPointerException().isThrownBy(() -> builder.taskTracers(null));
    }
}
