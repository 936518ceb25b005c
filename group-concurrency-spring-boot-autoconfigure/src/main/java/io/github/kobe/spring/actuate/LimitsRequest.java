package io.github.kobe.spring.actuate;

import io.github.kobe.GroupLimits;
import io.github.kobe.spring.internal.endpoint.RefusedRequestException;
import io.github.kobe.spring.internal.settings.LimitSetting;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The limits of a request, as strings from outside; limits that are missing keep their value. */
final class LimitsRequest {

    private final Map<String, String> given = new LinkedHashMap<>();

    /** Takes a text for each of {@link LimitSetting}, in their order; {@code null}: not given. */
    LimitsRequest(@Nullable String... texts) {
        LimitSetting[] settings = LimitSetting.values();
        for (int i = 0; i < settings.length; i++) {
            String text = texts[i];
            if (text != null) {
                given.put(settings[i].field(), text);
            }
        }
    }

    boolean isEmpty() {
        return given.isEmpty();
    }

    /** {@return what is given, by the names of the fields} */
    Map<String, String> given() {
        return given;
    }

    /** {@return {@code limits} with what is given here in place of its own} */
    GroupLimits over(GroupLimits limits) {
        GroupLimits result = limits;
        for (LimitSetting setting : LimitSetting.values()) {
            String text = given.get(setting.field());
            if (text != null) {
                try {
                    result = setting.set(result, text);
                } catch (IllegalArgumentException otherForm) {
                    throw RefusedRequestException.badRequest(
                            setting.field() + " can't be read", setting.field(), text, setting.form());
                }
            }
        }
        return result;
    }
}
