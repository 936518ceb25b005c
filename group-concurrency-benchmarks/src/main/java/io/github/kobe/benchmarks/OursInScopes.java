package io.github.kobe.benchmarks;

import io.github.kobe.scope.GroupScope;
import io.github.kobe.scope.Joiner;
import io.github.kobe.scope.Scopes;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.function.Supplier;

/** The engine's scopes as they come: time-out and totals are always on. */
final class OursInScopes extends Ours {

    private final Scopes scopes;

    OursInScopes(Limits limits) {
        super(limits);
        this.scopes = Scopes.of(executor());
    }

    /** With more room than its limits say. */
    static OursInScopes wide(Limits limits) {
        return new OursInScopes(Limits.perGroup(Chain.WIDE).withGlobal(limits.global()));
    }

    @Override
    public Block open(Block.Joining joining) {
        return new Forks(
                switch (joining) {
                    case ALL -> scopes.open(Joiner.<Integer>awaitAll());
                    case ALL_SUCCESSFUL -> scopes.open(Joiner.<Integer>awaitAllSuccessfulOrThrow());
                });
    }

    private record Forks(GroupScope<Integer, ?, ? extends Exception> scope) implements Block {

        @Override
        public Supplier<Integer> fork(String group, Callable<Integer> task) {
            return scope.fork(group, task);
        }

        @Override
        public void join() throws Exception {
            scope.join();
        }

        @Override
        public void cancel() {
            scope.cancel();
        }

        @Override
        public void schedule(String group, long nanos, Callable<Integer> task) {
            scope.schedule(group, Duration.ofNanos(nanos), task);
        }

        @Override
        public void close() {
            scope.close();
        }
    }
}
