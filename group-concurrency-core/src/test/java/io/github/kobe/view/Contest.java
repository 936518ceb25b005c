package io.github.kobe.view;

import io.github.kobe.GroupExecutor;
import io.github.kobe.audit.Engines;
import io.github.kobe.testing.Deadline;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Opens the contestants of a test and ends them after it: none may have anything left that doesn't end. */
final class Contest implements AfterEachCallback {

    private final Engines engines = new Engines();
    private final Map<Contestant, GroupExecutor> executors = new EnumMap<>(Contestant.class);
    private final List<ExecutorService> opened = new ArrayList<>();

    /** Opens one; the executor behind a view is one for all of its kind, and audited after the test. */
    ExecutorService open(Contestant contestant) {
        ExecutorService service = contestant.open(policy -> executors
                .computeIfAbsent(contestant, first -> engines.start(policy))
                .asExecutorService("group " + opened.size()));
        opened.add(service);
        return service;
    }

    @Override
    public void afterEach(ExtensionContext context) throws Exception {
        opened.forEach(ExecutorService::shutdownNow);
        for (ExecutorService service : opened) {
            if (!service.awaitTermination(Deadline.SECONDS, TimeUnit.SECONDS)) {
                throw new AssertionError(service + " did not terminate");
            }
        }
        engines.afterEach(context);
    }

    /** A test of all contestants. */
    @Target(ElementType.METHOD)
    @Retention(RetentionPolicy.RUNTIME)
    @Documented
    @ParameterizedTest
    @EnumSource
    @interface All {}

    /** A test of those that run one task at a time, in order: all else waits in them. */
    @Target(ElementType.METHOD)
    @Retention(RetentionPolicy.RUNTIME)
    @Documented
    @ParameterizedTest
    @EnumSource(names = {"JDK_POOL_OF_ONE", "VIEW_OF_ONE", "VIEW_WITH_QUEUE"})
    @interface Serial {}

    /** A test of those that run several tasks at once. */
    @Target(ElementType.METHOD)
    @Retention(RetentionPolicy.RUNTIME)
    @Documented
    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.EXCLUDE,
            names = {"JDK_POOL_OF_ONE", "VIEW_OF_ONE", "VIEW_WITH_QUEUE"})
    @interface Parallel {}

    /** A test of all but the ForkJoinPool, whose tasks are no FutureTasks; each says what differs. */
    @Target(ElementType.METHOD)
    @Retention(RetentionPolicy.RUNTIME)
    @Documented
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "JDK_FORK_JOIN")
    @interface NotForkJoin {}
}
