package io.github.kobe.spring.test;

import io.github.kobe.GroupExecutor;

/**
 * The entry point of assertions on groups. Import it statically, beside AssertJ's own {@code assertThat}:
 *
 * <pre>{@code
 * assertThat(executor).isQuiet();
 * assertThat(executor).group("tenant:a").hasRunning(1).hasQueued(2);
 * await().untilAsserted(() -> assertThat(executor).group("tenant:a").hasQueued(2));
 * }</pre>
 *
 * <p>Each assertion checks once, at the moment when it is called.
 *
 * @since 0.1.0
 */
public final class GroupAssertions {

    private GroupAssertions() {}

    /**
     * Begins assertions on an executor.
     *
     * @param actual the executor; an assertion on {@code null} fails
     * @return the assertions
     */
    public static GroupExecutorAssert assertThat(GroupExecutor actual) {
        return new GroupExecutorAssert(actual);
    }
}
