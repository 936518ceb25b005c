package io.github.kobe.spring.client;

import java.net.URI;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The host that a call goes to. */
final class CalledHost {

    private CalledHost() {}

    /**
     * {@return the key of a call's group: the host of its address, in lower case, behind a prefix; {@code null}: it has no host}
     * Clients call hosts too that {@link URI} knows only as part of an authority, such as those with an underscore.
     */
    static @Nullable String keyOf(String prefix, URI address) {
        String host = address.getHost();
        String authority = address.getRawAuthority();
        if (host == null && authority != null) {
            host = authority.substring(authority.lastIndexOf('@') + 1).replaceFirst(":\\d*$", "");
        }
        return host == null || host.isEmpty() ? null : prefix + host.toLowerCase(Locale.ROOT);
    }
}
