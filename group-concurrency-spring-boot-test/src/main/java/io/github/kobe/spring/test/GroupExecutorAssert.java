package io.github.kobe.spring.test;

import io.github.kobe.GroupExecutor;
import java.util.Objects;
import org.assertj.core.api.AbstractAssert;

/**
 * Assertions on an executor. For one thread; made by {@link GroupAssertions#assertThat}.
 *
 * @since 0.1.0
 */
public final class GroupExecutorAssert extends AbstractAssert<GroupExecutorAssert, GroupExecutor> {

    GroupExecutorAssert(GroupExecutor actual) {
        super(actual, GroupExecutorAssert.class);
    }

    /**
     * Returns assertions on one group.
     *
     * @param key the key of the group; one that was never used counts as quiet
     * @return assertions on it
     */
    public GroupAssert group(String key) {
        isNotNull();
        return new GroupAssert(actual, Objects.requireNonNull(key, "key")).as(info.description());
    }

    /**
     * Checks that in no group anything runs, is in flight or waits.
     *
     * @return this
     * @throws AssertionError if something does; it names the groups, and who has the permits
     */
    public GroupExecutorAssert isQuiet() {
        isNotNull();
        Occupancy now = Occupancy.of(actual);
        if (!now.isEmpty()) {
            failWithMessage("Expected a quiet executor, but%n%s", now);
        }
        return this;
    }

    /**
     * Checks that nobody has a permit of any group. Waiting work has none, so it doesn't matter here.
     *
     * @return this
     * @throws AssertionError if somebody has one; it names the groups, and who has the permits
     */
    public GroupExecutorAssert hasNoPermitsOut() {
        isNotNull();
        Occupancy now = Occupancy.of(actual).withPermitsOut();
        if (!now.isEmpty()) {
            failWithMessage("Expected no permits to be out, but%n%s", now);
        }
        return this;
    }
}
