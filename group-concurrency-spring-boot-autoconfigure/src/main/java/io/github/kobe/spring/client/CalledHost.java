package io.github.kobe.spring.client;

import java.net.URI;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The host that a call goes to. */
final class CalledHost {

    private CalledHost() {}

    /**
     * {@return the host of an address, in lower case; {@code null}: it has none} Clients call hosts too that {@link URI} knows
     * only as part of an authority, such as those with an underscore.
     */
    static @Nullable String of(URI address) {
        String host = address.getHost();
        String authority = address.getRawAuthority();
        if (host == null && authority != null) {
            host = authority.substring(authority.lastIndexOf('@') + 1).replaceFirst(":\\d*$", "");
        }
        return host == null || host.isEmpty() ? null : host.toLowerCase(Locale.ROOT);
    }
}
