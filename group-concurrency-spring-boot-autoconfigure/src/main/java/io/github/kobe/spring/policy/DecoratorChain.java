package io.github.kobe.spring.policy;

import io.github.kobe.GroupTaskDecorator;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/** Several decorators as one; the first is outermost, so what it puts up is there for all the others. */
final class DecoratorChain implements GroupTaskDecorator {

    private final List<GroupTaskDecorator> decorators;

    private DecoratorChain(List<GroupTaskDecorator> decorators) {
        this.decorators = decorators;
    }

    static @Nullable GroupTaskDecorator of(List<GroupTaskDecorator> decorators) {
        return switch (decorators.size()) {
            case 0 -> null;
            case 1 -> decorators.getFirst();
            default -> new DecoratorChain(List.copyOf(decorators));
        };
    }

    @Override
    public <T> Callable<T> decorate(String groupKey, Callable<T> task) {
        Callable<T> decorated = task;
        for (GroupTaskDecorator decorator : decorators.reversed()) {
            decorated = decorator.decorate(groupKey, decorated);
        }
        return decorated;
    }
}
