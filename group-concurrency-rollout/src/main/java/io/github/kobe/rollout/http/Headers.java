package io.github.kobe.rollout.http;

import io.github.kobe.rollout.HttpTransport;
import io.github.kobe.rollout.RolloutSettings;
import java.net.URI;
import java.util.Map;
import java.util.TreeMap;

/** The headers that a tenant's instances are sent by its settings, such as {@code http.header.Authorization}. */
final class Headers {

    static final String PREFIX = "http.header.";

    private static final URI ANYWHERE = URI.create("http://localhost");

    private final Map<String, String> set;

    /**
     * Reads the headers.
     *
     * @throws IllegalArgumentException if one can't be sent; the message doesn't have its value
     */
    Headers(RolloutSettings settings) {
        set = settings.startingWith(PREFIX);
        for (Map.Entry<String, String> header : set.entrySet()) {
            require(header.getKey(), header.getValue());
        }
    }

    private static void require(String name, String value) {
        if (name.equalsIgnoreCase(Requests.KEY) || name.equalsIgnoreCase(Requests.TOKEN)) {
            throw new IllegalArgumentException(PREFIX + name + " can't be set; each request has its own");
        }
        try {
            // who makes a call looks at its headers
            new HttpTransport.Call("GET", ANYWHERE, Map.of(name, value), "");
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(PREFIX + name + " can't be used: " + e.getMessage(), e);
        }
    }

    /** {@return those by the settings} */
    Map<String, String> set() {
        return set;
    }

    /** {@return those by the settings, and these: by default, or in any case} */
    Map<String, String> with(Map<String, String> byDefault, Map<String, String> always) {
        Map<String, String> all = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        all.putAll(byDefault);
        all.putAll(set);
        all.putAll(always);
        return all;
    }
}
