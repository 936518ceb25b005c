package io.github.kobe.spring.autoconfigure;

import io.github.kobe.GroupTaskDecorator;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.springframework.core.task.TaskDecorator;
import org.springframework.core.task.support.CompositeTaskDecorator;

/**
 * Makes Spring's {@link TaskDecorator}s decorate the tasks of groups too. As in Spring's own executors, they don't see
 * the exception of a submitted task.
 */
final class SpringTaskDecorator implements GroupTaskDecorator {

    private final TaskDecorator decorator;

    private SpringTaskDecorator(TaskDecorator decorator) {
        this.decorator = decorator;
    }

    /**
     * Makes one decorator of several.
     *
     * @param decorators each wraps what those before it have made, as in Spring Boot's own executors
     * @return all of them
     */
    static SpringTaskDecorator of(List<TaskDecorator> decorators) {
        return new SpringTaskDecorator(
                decorators.size() == 1 ? decorators.getFirst() : new CompositeTaskDecorator(decorators));
    }

    @Override
    public Callable<?> decorate(String groupKey, Callable<?> task) {
        Body<?> body = new Body<>(task);
        Runnable decorated = decorator.decorate(body);
        if (decorated.equals(body)) {
            return task; // there is nothing to take along
        }
        return () -> {
            decorated.run();
            return body.end();
        };
    }

    /** A task as something that returns and throws nothing. Used by one thread. */
    private static final class Body<T> implements Runnable {
        private final Callable<T> task;
        private @Nullable Callable<T> ended;

        Body(Callable<T> task) {
            this.task = task;
        }

        @Override
        public void run() {
            try {
                T value = task.call();
                ended = () -> value;
            } catch (Exception | Error failure) {
                ended = () -> {
                    throw failure;
                };
            }
        }

        /** Returns or throws what the task has. */
        T end() throws Exception {
            Callable<T> end = ended;
            if (end == null) {
                throw new IllegalStateException("A TaskDecorator has not run the task, or not on the task's thread");
            }
            ended = null;
            return end.call();
        }
    }
}
