package io.github.kobe.scope;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupRecorder;
import io.github.kobe.GroupResult;
import io.github.kobe.TaskLifecycleListener;
import io.github.kobe.TaskStatus;
import io.github.kobe.testing.Caller;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What the JDK's scope does with the threads of its forks, and this one does otherwise. */
class ScopeSurroundingsTests extends ScopeTestCase {

    @Tag("S34")
    @Test
    void atLimitOneNoSiblingStartsAfterTheValueThatDecides() throws Exception {
        AtomicInteger ran = new AtomicInteger();
        try (var scope = Scopes.of(executor(1)).open(Joiner.<String>anySuccessfulOrThrow())) {
            scope.fork("a", gate.then("first"));
            for (int i = 0; i < 20; i++) {
                scope.fork("a", () -> "later " + ran.incrementAndGet());
            }
            gate.open();

            assertThat(scope.join()).isEqualTo("first");
        }
        assertThat(ran).hasValue(0);
    }

    @Tag("S44")
    @Test
    void theTreeIsSeenByAnyThreadThoughNoThreadDumpHasIt() throws Exception {
        Scopes scopes = Scopes.of(executor(2));
        Caller<Object> owner = Caller.start(() -> {
            try (var scope = scopes.open(Joiner.awaitAll(), cf -> cf.withName("outer"))) {
                scope.fork("a", () -> {
                    try (var inner = scopes.open(Joiner.awaitAll(), cf -> cf.withName("inner"))) {
                        inner.fork(ForkOptions.in("b").withName("leaf"), gate.then("x"));
                        return inner.join();
                    }
                });
                return scope.join();
            }
        });
        gate.awaitArrived(1);

        ScopeSnapshot outer = scopes.live().getFirst();
        ScopeSnapshot inner = outer.forks().getFirst().scopes().getFirst();
        assertThat(List.of(outer.scope().name(), inner.scope().name())).containsExactly("outer", "inner");
        assertThat(inner.forks().getFirst().threadName())
                .hasValueSatisfying(name -> assertThat(name).contains("inner/leaf"));

        gate.open();
        owner.result();
    }

    @Tag("S45")
    @Test
    void nothingOfTheOwnersThreadIsInherited() throws Exception {
        InheritableThreadLocal<String> local = new InheritableThreadLocal<>();
        local.set("owner's");
        try (var scope = Scopes.of(executor(1)).open()) {
            Subtask<Boolean> inherited = scope.fork("a", () -> local.get() != null);
            scope.join();

            assertThat(inherited.get()).isFalse();
        } finally {
            local.remove();
        }
    }

    /** It was a failure for want of memory to the listener, since nothing had been kept of the fork's end. */
    @Test
    void whoListensSinceAForkHasEndedIsNotToldOfIt() throws Exception {
        List<String> told = new CopyOnWriteArrayList<>();
        AtomicReference<GroupExecutor> listening = new AtomicReference<>();
        GroupPolicy deaf = policy(1).toBuilder()
                .recorderFactory((key, rule) -> new GroupRecorder() {
                    @Override
                    public void completed(TaskStatus status, long nanos) {
                        listening.get().updatePolicy(listenedTo(told));
                    }
                })
                .build();
        GroupExecutor executor = engines.startPlain(deaf);
        listening.set(executor);

        for (String value : List.of("unheard", "heard")) {
            try (var scope = Scopes.of(executor).open()) {
                scope.fork("a", () -> value);
                scope.join();
            }
        }
        assertThat(told).containsExactly("SUCCESS heard");
    }

    private static GroupPolicy listenedTo(List<String> told) {
        return policy(1).toBuilder()
                .taskLifecycleListener(new TaskLifecycleListener() {
                    @Override
                    public void onCompleted(String groupKey, String taskId, GroupResult<?> result) {
                        told.add(result.status() + " " + result.value());
                    }
                })
                .build();
    }
}
