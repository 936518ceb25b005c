package io.github.kobe.spring.method;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Warns of text in a group that is used literally, but looks like a template. */
final class MisreadText {

    private static final Pattern PLACEHOLDER = Pattern.compile("\\$\\{[^}]*}");
    private static final Pattern BRACES = Pattern.compile("\\{\\s*([\\p{L}_][\\p{L}\\p{N}_]*)[^}]*}");

    private final Method method;

    MisreadText(Method method) {
        this.method = method;
    }

    /**
     * Looks at a text.
     *
     * @param text the annotation's own, before placeholders are filled
     * @param whole whether it is all of the group
     * @return what it is, and what to write for what was meant; null: nothing strikes the eye
     */
    @Nullable
    String doubtAbout(String text, boolean whole) {
        String own = PLACEHOLDER.matcher(text).replaceAll("");
        Matcher braces = BRACES.matcher(own);
        if (braces.find()) {
            return "the text " + braces.group() + " in it, the same for every call; for the argument, write #{#"
                    + braces.group(1) + "}";
        }
        if (own.indexOf('*') >= 0) {
            return "a * in it, which is an ordinary character here: only settings have patterns; for separate groups,"
                    + " write an expression instead, such as #{#" + firstName() + "}";
        }
        return whole && Arrays.asList(names()).contains(own)
                ? "the name of a parameter as a fixed text, the same for all calls; for the argument, write #" + own
                : null;
    }

    private String firstName() {
        @Nullable String[] names = names();
        return names.length > 0 && names[0] != null ? names[0] : "p0";
    }

    private @Nullable String[] names() {
        @Nullable String @Nullable [] names = GuardedMethods.PARAMETER_NAMES.getParameterNames(method);
        return names == null ? new String[0] : names;
    }
}
