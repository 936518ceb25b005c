package io.github.kobe.internal.base;

import io.github.kobe.GroupTaskDecorator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/** Combines several decorators; the first is the outermost. If one fails, the whole chain fails. */
final class DecoratorChain implements GroupTaskDecorator {

    private final List<GroupTaskDecorator> innermostFirst;

    private DecoratorChain(List<GroupTaskDecorator> decorators) {
        innermostFirst = List.copyOf(decorators.reversed());
    }

    /** {@return all of them as one; {@code null} if there is none} */
    static @Nullable GroupTaskDecorator of(List<GroupTaskDecorator> decorators) {
        return switch (decorators.size()) {
            case 0 -> null;
            case 1 -> decorators.getFirst();
            default -> new DecoratorChain(decorators);
        };
    }

    @Override
    public Callable<?> decorate(String groupKey, Callable<?> task) {
        Callable<?> decorated = task;
        for (GroupTaskDecorator decorator : innermostFirst) {
            decorated = Objects.requireNonNull(decorator.decorate(groupKey, decorated), "The decorator returned null");
        }
        return decorated;
    }
}
