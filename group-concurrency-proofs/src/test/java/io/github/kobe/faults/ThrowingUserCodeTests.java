package io.github.kobe.faults;

import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupRecorder;
import io.github.kobe.GroupResult;
import io.github.kobe.GroupTaskDecorator;
import io.github.kobe.RejectionHandler;
import io.github.kobe.RejectionPolicy;
import io.github.kobe.RejectionReason;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskLifecycleListener;
import io.github.kobe.TaskStatus;
import io.github.kobe.TaskTotals;
import io.github.kobe.audit.Engines;
import io.github.kobe.testing.Depth;
import io.github.kobe.testing.FragileLog;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * User code that throws, wherever the engine calls it, on every way, while the log itself is one that throws. After
 * each, the audit, and the executor works.
 */
@Tag("G37")
@Tag("G45")
@Tag("P12")
@SuppressWarnings("FutureReturnValueIgnored") // what is handed back is of no interest
class ThrowingUserCodeTests {

    @RegisterExtension
    final Engines engines = new Engines();

    private volatile boolean healed;
    private FragileLog log;

    @BeforeEach
    void openLog() {
        log = FragileLog.open();
    }

    @AfterEach
    void closeLog() {
        log.close();
    }

    /** Where the engine calls user code. */
    private enum Hook {
        ON_SUBMITTED,
        ON_STARTED,
        ON_REJECTED,
        ON_COMPLETED,
        ON_GROUP_REMOVED,
        RECORDER_FACTORY,
        RECORDER_STARTED,
        RECORDER_COMPLETED,
        RECORDER_REJECTED,
        RECORDER_REMOVED,
        DECORATOR,
        DECORATED_TASK,
        HANDLER,
        RESOLVER,
        TASK,
        TASK_THAT_ITS_CALLER_RUNS,
        DEPENDENT;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT).replace('_', ' ');
        }
    }

    /** Throws at one hook, until all is healed. */
    private final class Thrower implements TaskLifecycleListener, GroupTaskDecorator, RejectionHandler, GroupRecorder {

        private final Hook where;
        private final Thrown what;

        private Thrower(Hook where, Thrown what) {
            this.where = where;
            this.what = what;
        }

        private void at(Hook hook) {
            if (hook == where && !healed) {
                what.raise();
            }
        }

        @Override
        public void onSubmitted(String groupKey, String taskId) {
            at(Hook.ON_SUBMITTED);
        }

        @Override
        public void onStarted(String groupKey, String taskId) {
            at(Hook.ON_STARTED);
        }

        @Override
        public void onRejected(String groupKey, String taskId, RejectionReason reason) {
            at(Hook.ON_REJECTED);
        }

        @Override
        public void onCompleted(String groupKey, String taskId, GroupResult<?> result) {
            at(Hook.ON_COMPLETED);
        }

        @Override
        public void onGroupRemoved(String groupKey) {
            at(Hook.ON_GROUP_REMOVED);
        }

        private GroupRecorder recorder() {
            at(Hook.RECORDER_FACTORY);
            return this;
        }

        @Override
        public void started(long queuedNanos) {
            at(Hook.RECORDER_STARTED);
        }

        @Override
        public void completed(TaskStatus status, long nanos) {
            at(Hook.RECORDER_COMPLETED);
        }

        @Override
        public void rejected(RejectionReason reason) {
            at(Hook.RECORDER_REJECTED);
        }

        @Override
        public void removed(TaskTotals totals) {
            at(Hook.RECORDER_REMOVED);
        }

        @Override
        public Callable<?> decorate(String groupKey, Callable<?> task) {
            at(Hook.DECORATOR);
            return () -> {
                at(Hook.DECORATED_TASK);
                return task.call();
            };
        }

        @Override
        public GroupResult<?> onRejected(String groupKey, String taskId, Callable<?> task) {
            at(Hook.HANDLER);
            return GroupResult.rejected(groupKey, taskId);
        }

        private int concurrency() {
            at(Hook.RESOLVER);
            return 1;
        }

        private String run() {
            at(Hook.TASK);
            at(Hook.TASK_THAT_ITS_CALLER_RUNS);
            return "done";
        }

        private void follow(TaskHandle<?> handle) {
            handle.toCompletableFuture().whenComplete((result, failure) -> at(Hook.DEPENDENT));
        }

        private GroupPolicy policy() {
            GroupPolicy.Builder builder = Workload.policy()
                    .maxIdleGroups(1)
                    .concurrencyResolver(key -> concurrency())
                    .taskLifecycleListener(this)
                    .recorderFactory((key, rule) -> recorder())
                    .taskDecorator(this);
            if (where == Hook.TASK_THAT_ITS_CALLER_RUNS) {
                return builder.rejectionPolicy(RejectionPolicy.CALLER_RUNS).build();
            }
            return where == Hook.HANDLER ? builder.rejectionHandler(this).build() : builder.build();
        }
    }

    /** A short build throws one at each hook, and each at some hook. */
    static Stream<Arguments> hooksAndThrowables() {
        List<Hook> hooks = List.of(Hook.values());
        List<Thrown> all = List.of(Thrown.values());
        return IntStream.range(0, hooks.size())
                .boxed()
                .flatMap(at -> Depth.pick(List.of(all.get(at % all.size())), all, all).stream()
                        .map(thrown -> arguments(hooks.get(at), thrown)));
    }

    @ParameterizedTest(name = "{0} throws {1}")
    @MethodSource("hooksAndThrowables")
    void whateverUserCodeThrowsNothingIsLost(Hook hook, Thrown thrown) throws Exception {
        Thrower thrower = new Thrower(hook, thrown);
        Consumer<TaskHandle<?>> follow = hook == Hook.DEPENDENT ? thrower::follow : handle -> {};
        GroupExecutor executor = engines.start(thrower.policy());
        new Workload(engines, executor, "", thrower::run, follow).takeAll();
        for (Ways last : new Ways[] {Ways.DRAIN, Ways.SHUT_DOWN}) {
            GroupExecutor other = engines.start(thrower.policy());
            new Workload(engines, other, "", thrower::run, follow).take(last);
        }
        healed = true;
        Workload.requireWorking(executor);
    }
}
