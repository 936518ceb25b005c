import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.StructuredTaskScope;
import java.util.concurrent.StructuredTaskScope.Joiner;
import java.util.concurrent.StructuredTaskScope.Subtask;
import java.util.function.Supplier;

/** What is written for the JDK's scope and moves by a change of imports and of the opening line. */
final class Snippets extends Given {

    String bothOrTheFirstFailure() throws Exception {
        try (var scope = StructuredTaskScope.open()) {
            Subtask<String> user = scope.fork(() -> user());
            Subtask<Integer> order = scope.fork(() -> order());
            scope.join();
            return user.get() + " " + order.get();
        }
    }

    String asSuppliers() throws Exception {
        try (var scope = StructuredTaskScope.open()) {
            Supplier<String> user = scope.fork(this::user);
            Supplier<Integer> order = scope.fork(this::order);
            scope.join();
            return user.get() + " " + order.get();
        }
    }

    void withoutValues(List<Runnable> tasks) throws Exception {
        try (var scope = StructuredTaskScope.open()) {
            tasks.forEach(scope::fork);
            scope.join();
        }
    }

    String whatBecameOfEach() throws Exception {
        List<Subtask<String>> subtasks = new ArrayList<>();
        try (var scope = StructuredTaskScope.open(Joiner.<String>awaitAllSuccessfulOrThrow())) {
            for (int i = 0; i < 3; i++) {
                subtasks.add(scope.fork(() -> user()));
            }
            try {
                scope.join();
            } catch (Exception failed) {
                return subtasks.stream()
                        .filter(each -> each.state() == Subtask.State.FAILED)
                        .map(Subtask::exception)
                        .toList()
                        .toString();
            }
        }
        StringBuilder text = new StringBuilder();
        for (Subtask<String> subtask : subtasks) {
            text.append(
                    switch (subtask.state()) {
                        case SUCCESS -> subtask.get();
                        case FAILED -> subtask.exception().toString();
                        case UNAVAILABLE -> "none";
                    });
        }
        return text.toString();
    }

    boolean configured() throws Exception {
        try (var scope = StructuredTaskScope.open(
                Joiner.awaitAllSuccessfulOrThrow(),
                configuration -> configuration.withName("orders").withTimeout(Duration.ofSeconds(2)))) {
            scope.fork(() -> order());
            scope.join();
            return scope.isCancelled();
        }
    }

    String inside() throws Exception {
        try (var scope = StructuredTaskScope.open()) {
            Subtask<String> outer = scope.fork(() -> {
                try (var inner = StructuredTaskScope.open()) {
                    Subtask<String> user = inner.fork(() -> user());
                    inner.join();
                    return user.get();
                }
            });
            scope.join();
            return outer.get();
        }
    }
}
