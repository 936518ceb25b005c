package io.github.kobe.spring.test;

import io.github.kobe.GroupExecutor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.test.context.junit.jupiter.SpringExtension;

/**
 * Fails a test that leaves permits out or work waiting. The message names the groups, who has the permits and who
 * waits.
 *
 * <p>On a Spring test, it watches all {@link GroupExecutor} beans of the test's application context:
 *
 * <pre>{@code
 * @SpringBootTest
 * @ExtendWith(QuietExecutorExtension.class)
 * class ReportServiceTests { … }
 * }</pre>
 *
 * <p>Elsewhere it needs the executor to watch:
 *
 * <pre>{@code
 * @RegisterExtension
 * final QuietExecutorExtension quiet = QuietExecutorExtension.watching(executor);
 * }</pre>
 *
 * <p>It checks after the test's {@code @AfterEach} methods, and gives work that is about to end five seconds to do so.
 * Anything that was there before the test's {@code @BeforeEach} methods is ignored, so that a lost permit fails one
 * test and not all that follow. Don't watch an executor that tests use at the same time: they would be blamed for each
 * other's work.
 *
 * @since 0.1.0
 */
public final class QuietExecutorExtension implements BeforeEachCallback, AfterEachCallback {

    private static final Duration GRACE = Duration.ofSeconds(5);
    private static final long PAUSE_NANOS = Duration.ofMillis(2).toNanos();

    private final List<GroupExecutor> told;
    private final Duration grace;

    /** For a Spring test: watches the executors of its application context. */
    public QuietExecutorExtension() {
        this(List.of(), GRACE);
    }

    QuietExecutorExtension(List<GroupExecutor> told, Duration grace) {
        this.told = told;
        this.grace = grace;
    }

    /**
     * Makes an extension for a test without Spring.
     *
     * @param executor the executor to watch
     * @return an extension to register in a field
     */
    public static QuietExecutorExtension watching(GroupExecutor executor) {
        return new QuietExecutorExtension(List.of(Objects.requireNonNull(executor, "executor")), GRACE);
    }

    /** Records what is there before the test. */
    @Override
    public void beforeEach(ExtensionContext context) {
        List<Watch> watches = new ArrayList<>();
        for (GroupExecutor executor : told.isEmpty() ? beans(context) : told) {
            watches.add(new Watch(executor, Occupancy.of(executor)));
        }
        store(context).put(Watches.class, new Watches(watches));
    }

    private static Iterable<GroupExecutor> beans(ExtensionContext context) {
        return BeanFactoryUtils.beansOfTypeIncludingAncestors(
                        SpringExtension.getApplicationContext(context), GroupExecutor.class, false, false)
                .values();
    }

    /**
     * Looks for anything that has been added since.
     *
     * @throws AssertionError if there is still something after five seconds
     */
    @Override
    public void afterEach(ExtensionContext context) {
        Watches watches = store(context).remove(Watches.class, Watches.class);
        if (watches == null) {
            return; // There was no application context to look into, which has failed the test already.
        }
        long start = System.nanoTime();
        for (Watch watch : watches.all) {
            Occupancy left = watch.left();
            while (!left.isEmpty() && System.nanoTime() - start < grace.toNanos()) {
                LockSupport.parkNanos(PAUSE_NANOS);
                left = watch.left();
            }
            if (!left.isEmpty()) {
                throw new AssertionError("The test left permits out, or work waiting:" + System.lineSeparator() + left);
            }
        }
    }

    private ExtensionContext.Store store(ExtensionContext context) {
        return context.getStore(ExtensionContext.Namespace.create(QuietExecutorExtension.class, this));
    }

    private record Watches(List<Watch> all) {}

    private record Watch(GroupExecutor executor, Occupancy before) {

        Occupancy left() {
            return Occupancy.of(executor).above(before);
        }
    }
}
