package io.github.kobe.rollout;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import java.util.Objects;
import java.util.regex.Pattern;

/**
 * The address of an instance of a tenant: a URL with a scheme and a host. It may have user information, which is shown
 * nowhere.
 *
 * @param url the URL as text
 * @since 0.1.0
 */
public record NetworkEndpoint(String url) {

    private static final int HTTP_PORT = 80;
    private static final int HTTPS_PORT = 443;
    private static final Pattern USER = Pattern.compile("//.*@");

    /** Checks only for {@code null}, as {@link #ofTrusted}. */
    public NetworkEndpoint {
        Objects.requireNonNull(url, "url");
    }

    /**
     * Makes an endpoint from a text, and checks it.
     *
     * @param url the URL as text
     * @return the endpoint
     * @throws IllegalArgumentException if the text is not a URL with a scheme and a host
     */
    public static NetworkEndpoint of(String url) {
        try {
            URI uri = new URI(url);
            if (uri.getScheme() == null || uri.getHost() == null) {
                throw new IllegalArgumentException(
                        "endpoint is '" + shown(url) + "'; it must be a URL with a scheme and a host");
            }
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException("endpoint is '" + shown(url) + "'; it must be a URL: " + e.getReason());
        }
        return new NetworkEndpoint(url);
    }

    /**
     * Makes an endpoint from a text that was checked before.
     *
     * @param url the URL as text
     * @return the endpoint
     */
    public static NetworkEndpoint ofTrusted(String url) {
        return new NetworkEndpoint(url);
    }

    /** {@return whether the scheme is {@code http} or {@code https}} */
    public boolean isHttp() {
        return scheme().equals("http") || isSecure();
    }

    /** {@return whether the scheme is {@code https}} */
    public boolean isSecure() {
        return scheme().equals("https");
    }

    /** {@return the host} */
    public String host() {
        return Objects.requireNonNullElse(uri().getHost(), "");
    }

    /** {@return the port, or that of the scheme (80, 443) if there is none; -1 for another scheme} */
    public int port() {
        int port = uri().getPort();
        if (port != -1 || !isHttp()) {
            return port;
        }
        return isSecure() ? HTTPS_PORT : HTTP_PORT;
    }

    /** {@return the path, empty if there is none} */
    public String path() {
        String path = Objects.requireNonNullElse(uri().getPath(), "");
        return path.equals("/") ? "" : path;
    }

    private String scheme() {
        return Objects.requireNonNullElse(uri().getScheme(), "").toLowerCase(Locale.ROOT);
    }

    private URI uri() {
        return URI.create(url);
    }

    /** {@return the URL without its user information, which may be secret} */
    @Override
    public String toString() {
        return shown(url);
    }

    /** Where a URL can't be read, user information is whatever may be meant as such. */
    private static String shown(String url) {
        try {
            String user = new URI(url).getRawUserInfo();
            if (user != null) {
                return url.replace("//" + user + "@", "//");
            }
            if (new URI(url).getHost() != null) {
                return url;
            }
        } catch (URISyntaxException e) {
            // as one without a host
        }
        return USER.matcher(url).replaceFirst("//");
    }
}
