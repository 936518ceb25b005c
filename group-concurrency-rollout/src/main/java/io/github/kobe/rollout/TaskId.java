package io.github.kobe.rollout;

import java.util.Objects;
import java.util.regex.Pattern;

/**
 * The id of a task: {@code task-{planId}-{milliseconds}-{random}}.
 *
 * @param value the id as text
 * @since 0.1.0
 */
public record TaskId(String value) implements Target {

    private static final Pattern FORM = Pattern.compile("task-(plan-[A-Za-z0-9._-]{1,95})-[0-9]+-[0-9a-f]+");

    /** Checks only for {@code null}, as {@link #ofTrusted}. */
    public TaskId {
        Objects.requireNonNull(value, "value");
    }

    /**
     * Makes an id from a text, and checks it.
     *
     * @param value the id as text
     * @return the id
     * @throws IllegalArgumentException if the text has another form
     */
    public static TaskId of(String value) {
        if (!FORM.matcher(value).matches()) {
            throw new IllegalArgumentException(
                    "taskId is '" + value + "'; it must have the form task-{planId}-{timestamp}-{random}");
        }
        return new TaskId(value);
    }

    /**
     * Makes an id from a text that was checked before, such as one read from a database.
     *
     * @param value the id as text
     * @return the id
     */
    public static TaskId ofTrusted(String value) {
        return new TaskId(value);
    }

    /**
     * {@return whether the middle part of this id names that plan}
     *
     * @param planId the plan
     */
    public boolean belongsToPlan(PlanId planId) {
        var form = FORM.matcher(value);
        return form.matches() && form.group(1).equals(planId.value());
    }

    @Override
    public String toString() {
        return value;
    }
}
