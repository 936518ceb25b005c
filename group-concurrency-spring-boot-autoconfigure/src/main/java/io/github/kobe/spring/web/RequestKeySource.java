package io.github.kobe.spring.web;

import java.security.Principal;
import org.jspecify.annotations.Nullable;
import org.springframework.web.util.ServletRequestPathUtils;
import org.springframework.web.util.pattern.PathPattern;

/** Where the settings say that the key of a request is. */
public final class RequestKeySource {

    private RequestKeySource() {}

    /**
     * Takes the key from a header.
     *
     * @param prefix what the group's key begins with
     * @param name the header's name
     * @return no key where there is no such header, or it is blank
     */
    public static RequestGroupKey header(String prefix, String name) {
        return request -> prefixed(prefix, request.getHeader(name));
    }

    /**
     * Takes the name of the user for the key.
     *
     * @param prefix what the group's key begins with
     * @return no key where nobody is logged in
     */
    public static RequestGroupKey principal(String prefix) {
        return request -> {
            Principal user = request.getUserPrincipal();
            return user == null ? null : prefixed(prefix, user.getName());
        };
    }

    /**
     * Takes the key from the path.
     *
     * @param prefix what the group's key begins with
     * @param pattern a pattern with one variable
     * @return no key where the path is another one
     */
    public static RequestGroupKey path(String prefix, PathPattern pattern) {
        return request -> {
            PathPattern.PathMatchInfo match = pattern.matchAndExtract(
                    ServletRequestPathUtils.parse(request).pathWithinApplication());
            return match == null
                    ? null
                    : prefixed(
                            prefix, match.getUriVariables().values().iterator().next());
        };
    }

    private static @Nullable String prefixed(String prefix, @Nullable String value) {
        return value == null || value.isBlank() ? null : prefix + value;
    }
}
