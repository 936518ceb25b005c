package io.github.kobe.scope;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.testing.Caller;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
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
}
