package io.github.kobe.internal.permits;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import io.github.kobe.internal.doors.EngineAccess;
import io.github.kobe.schedules.EngineLoader;
import io.github.kobe.testing.Deadline;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A call at the end of a stack is the first to find so many threads in {@link Holds} that a wider table is made. What
 * runs for the first time takes more stack than what has been compiled, and so more than was asked for.
 */
@Tag("deep")
class FirstWiderTableTests {

    private static final int STACK_BYTES = 256 << 10;

    /** One less than are in the map when the first wider table is made. */
    private static final int THREADS_IN_MAP = 511;

    /** How often all else is done before, as in an application that has been up for a while. */
    private static final int USUAL = 120_000;

    /** An application with an engine of its own, in which nothing of that has happened yet. */
    static final class Application implements Function<Integer, Integer> {

        private final GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(
                GroupPolicy.builder().defaultMaxConcurrencyPerGroup(1_000_000).build());
        private final List<Hold> inMap = new ArrayList<>();
        private boolean called;

        /** {@return how many permits are out after a call at the end of a stack, under {@code frames} of another size} */
        @Override
        public Integer apply(Integer frames) {
            try {
                useAsUsual();
                fillTheMap();
                Thread thread = new Thread(null, () -> padded(frames, 1, 2, 3), "short of stack", STACK_BYTES);
                thread.start();
                Deadline.join(thread);
            } catch (Exception failure) {
                throw new IllegalStateException(failure);
            }
            return executor.groupStats("group").orElseThrow().running();
        }

        private void useAsUsual() throws Exception {
            for (int i = 0; i < USUAL; i++) {
                executor.call("group", () -> 1);
                try (GroupPermit permit = executor.acquire("group")) {
                    permit.call(() -> executor.call("other", () -> permit));
                }
            }
        }

        private void fillTheMap() {
            Holds holds = EngineAccess.engine(executor).holds;
            while (inMap.size() < THREADS_IN_MAP) {
                Hold hold = push(new Thread());
                if (hold.place() < 0) {
                    inMap.add(hold);
                }
            }
            for (int i = 0; i < USUAL / 5; i++) {
                Hold hold = inMap.remove(i % THREADS_IN_MAP);
                if (!Hold.wasLast(hold.closeForThread())) {
                    throw new AssertionError("open twice");
                }
                holds.prune(hold.thread);
                inMap.add(push(hold.thread));
            }
        }

        private Hold push(Thread thread) {
            Hold hold = new Hold(EngineAccess.engine(executor).group("group"));
            EngineAccess.engine(executor).holds.push(hold, thread);
            return hold;
        }

        private void padded(int frames, long a, long b, long c) {
            if (frames > 0) {
                padded(frames - 1, b, c, a);
            } else {
                callOnTheWayUp();
            }
        }

        @SuppressWarnings("InfiniteRecursion") // as meant
        private void callOnTheWayUp() {
            try {
                callOnTheWayUp();
            } catch (StackOverflowError end) {
                // here, or further up
            }
            if (!called) {
                try {
                    executor.call("group", () -> 1);
                    called = true;
                } catch (StackOverflowError notYet) {
                    // further up
                } catch (Exception failure) {
                    throw new IllegalStateException(failure);
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7})
    @Tag("I3")
    @SuppressWarnings("unchecked")
    void aWiderTableAtTheEndOfAStackKeepsNoPermit(int frames) {
        Function<Integer, Integer> application =
                new EngineLoader(UnaryOperator.identity()).newInstance(Function.class, Application.class);

        assertThat(application.apply(frames)).isZero();
    }
}
