package io.github.kobe.benchmarks;

import java.util.concurrent.Callable;
import java.util.concurrent.StructuredTaskScope;
import java.util.concurrent.StructuredTaskScope.Joiner;
import java.util.function.Function;
import java.util.function.Supplier;

/** Opens a {@code StructuredTaskScope} of JDK 25. */
final class JdkBlocks implements Function<Block.Joining, Block> {

    @Override
    public Block apply(Block.Joining joining) {
        return new Forks(StructuredTaskScope.open(
                joining == Block.Joining.ALL
                        ? Joiner.<Integer>awaitAll()
                        : Joiner.<Integer>awaitAllSuccessfulOrThrow()));
    }

    private record Forks(StructuredTaskScope<Integer, Void> scope) implements Block {

        @Override
        public Supplier<Integer> fork(String group, Callable<Integer> task) {
            return scope.fork(task);
        }

        @Override
        public void join() throws InterruptedException {
            scope.join();
        }

        @Override
        public void cancel() {
            throw new UnsupportedOperationException("only its joiner cancels it");
        }

        @Override
        public void close() {
            scope.close();
        }
    }
}
