package io.github.kobe;

import io.github.kobe.internal.base.KeyText;
import java.io.Serial;
import org.jspecify.annotations.Nullable;

/**
 * Thrown if a setting of a {@link GroupPolicy}, or of {@link GroupLimits} that come into force, is out of its range, or isn't
 * allowed beside the others or in this executor.
 *
 * @since 0.1.0
 */
public final class InvalidPolicyException extends IllegalArgumentException {

    @Serial
    private static final long serialVersionUID = 1L;

    /** The name of the setting. @serial */
    private final String setting;
    /** The key or pattern it was given for. @serial */
    private final @Nullable String rule;
    /** The refused value. @serial */
    private final String value;
    /** What is allowed. @serial */
    private final String allowed;

    InvalidPolicyException(String setting, @Nullable String rule, @Nullable Object value, String allowed) {
        super(setting + (rule == null ? "" : " of '" + KeyText.printable(rule) + "'") + " must be " + allowed + ", was "
                + value);
        this.setting = setting;
        this.rule = rule;
        this.value = String.valueOf(value);
        this.allowed = allowed;
    }

    /**
     * {@return the name of the setting, which is the name of the builder's method or of the limit; {@code defaults.} comes
     * before a limit of all groups, as in {@code defaults.queueThreshold}, by whichever method it was set}
     */
    public String setting() {
        return setting;
    }

    /** {@return the group key or pattern that the setting was given for; {@code null} if it is for all} */
    public @Nullable String rule() {
        return rule;
    }

    /** {@return the refused value, as text} */
    public String value() {
        return value;
    }

    /** {@return what is allowed, such as {@code at least 1}} */
    public String allowed() {
        return allowed;
    }
}
