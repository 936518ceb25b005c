package io.github.kobe.spring.dashboard;

import io.github.kobe.spring.InvalidSettingException;
import io.github.kobe.spring.internal.settings.BoundSettings;
import java.util.regex.Pattern;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.io.ResourceLoader;
import org.springframework.util.ClassUtils;

/**
 * Where the page is, below the context path of the port that the endpoints are on. Never lazy: a bad setting should fail
 * the start-up.
 */
@Lazy(false)
final class DashboardPath {

    /** No dots at the beginning of a name, and nothing that a pattern of paths would take for more than itself. */
    private static final Pattern NAMES = Pattern.compile("(/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)+");

    private static final String ALLOWED =
            "a slash and a name of letters, digits, '-', '_', '~' and '.', or several, as /ops/groups";

    private static final String ENDPOINTS = "org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints";

    private final String path;
    private final BoundSettings settings;

    /**
     * Takes the setting.
     *
     * @param properties its value
     * @param settings where it came from
     * @param application has the actuator on its class path
     * @throws InvalidSettingException if it is no plain path, or there is no actuator
     */
    DashboardPath(GroupDashboardProperties properties, BoundSettings settings, ResourceLoader application) {
        this.path = properties.path();
        this.settings = settings;
        if (!NAMES.matcher(path).matches()) {
            throw settings.refusal("is no plain path", ALLOWED, null, "dashboard", "path");
        }
        if (!ClassUtils.isPresent(ENDPOINTS, application.getClassLoader())) {
            throw notExposed("Spring Boot's actuator is not there", "false, or the actuator on the class path");
        }
    }

    /** {@return it as it is written} */
    String value() {
        return path;
    }

    /** {@return a path of the same port as an address that the page can ask, whatever is before both} */
    String addressOf(String other) {
        int names = (int) path.chars().filter(character -> character == '/').count();
        return "../".repeat(names) + other.substring(1);
    }

    void requireOutside(String endpoint) {
        if ((endpoint + "/").startsWith(path + "/")) {
            throw settings.refusal(
                    "is in the way of the endpoint " + endpoint, "another path", null, "dashboard", "path");
        }
    }

    InvalidSettingException notExposed(String problem, String allowed) {
        return settings.refusal("is true, but " + problem, allowed, null, "dashboard", "enabled");
    }
}
