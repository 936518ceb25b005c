package io.github.kobe.rollout;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Sends the HTTP requests of rollouts: those of {@link io.github.kobe.rollout.http.HttpStages}, and those of
 * {@link HealthCheckClient#over health checks}.
 *
 * <p>It may be called by many threads at once, and must follow no redirects: that would pass a configuration on to whatever
 * place the answer names. It sets no time limit of its own to an answer. When the caller's time is up, body and all, it
 * interrupts the call, which should then end at once.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface HttpTransport {

    /**
     * {@return the answer}
     *
     * @param call the request
     * @throws IOException if there is no answer, or one that is too long
     * @throws InterruptedException if the thread is interrupted
     */
    Answer send(Call call) throws IOException, InterruptedException;

    /** {@return a new one that uses the JDK's HTTP client, and follows no redirects} */
    static HttpTransport jdk() {
        return new JdkHttpTransport();
    }

    /**
     * A request.
     *
     * @param method such as {@code PUT}
     * @param url the URL to call, without user information
     * @param headers the headers, each with one value
     * @param body the body, may be empty
     * @since 0.1.0
     */
    record Call(String method, URI url, Map<String, String> headers, String body) {

        private static final Pattern NAME = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+");

        /** As the JDK's client allows it. */
        private static final Pattern VALUE = Pattern.compile("[\\t\\x20-\\x7e\\x80-\\xff]*");

        /** Those that each client sets itself. */
        private static final Set<String> RESERVED =
                Set.of("connection", "content-length", "expect", "host", "transfer-encoding", "upgrade");

        private static final String AUTHORIZATION = "Authorization";

        /**
         * Copies the headers. User information of the URL becomes the header {@code Authorization} ({@code Basic}), in place
         * of another one.
         *
         * @throws IllegalArgumentException if something is no header, or one that the client sets itself; the message has the
         *     header's name, but not its value
         */
        public Call {
            headers.forEach(Call::requireHeader);
            String user = url.getUserInfo();
            if (user != null) {
                Map<String, String> more = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
                more.putAll(headers);
                more.put(
                        AUTHORIZATION,
                        "Basic " + Base64.getEncoder().encodeToString(user.getBytes(StandardCharsets.UTF_8)));
                headers = more;
                url = URI.create(url.toString().replace("//" + url.getRawUserInfo() + "@", "//"));
            }
            headers = Map.copyOf(headers);
        }

        private static void requireHeader(String name, String value) {
            if (!NAME.matcher(name).matches()) {
                throw new IllegalArgumentException("header '" + name
                        + "' can't be sent; its name must be letters, digits and some other characters of ASCII");
            }
            if (RESERVED.contains(name.toLowerCase(Locale.ROOT))) {
                throw new IllegalArgumentException("header '" + name + "' can't be set; each request has its own");
            }
            if (!VALUE.matcher(value).matches()) {
                throw new IllegalArgumentException("header '" + name
                        + "' can't be sent; its value must be in one line, of characters up to U+00FF");
            }
        }

        /** {@return what it consists of, but only the names of the headers and the length of the body, which may be secret} */
        @Override
        public String toString() {
            return "Call[method=" + method + ", url=" + url + ", headers="
                    + headers.keySet().stream().sorted().toList() + ", body=" + body.length() + " characters]";
        }
    }

    /**
     * An answer.
     *
     * @param status the status
     * @param retryAfter the header {@code Retry-After}, or {@code null} if there is none
     * @param body the body, may be empty
     * @since 0.1.0
     */
    record Answer(int status, @Nullable String retryAfter, String body) {

        /** How many bytes a body may have: 65,536. */
        public static final int LONGEST_BODY = 65_536;

        /**
         * Makes an answer, and reads its body. More than {@link #LONGEST_BODY} bytes are never read.
         *
         * @param status the status
         * @param retryAfter the header {@code Retry-After}, or {@code null} if there is none
         * @param body the body, in UTF-8; it is closed after this
         * @return the answer
         * @throws IOException if the body can't be read, or is longer than that
         */
        public static Answer read(int status, @Nullable String retryAfter, InputStream body) throws IOException {
            try (body) {
                byte[] bytes = body.readNBytes(LONGEST_BODY);
                if (bytes.length == LONGEST_BODY && body.read() != -1) {
                    throw new IOException("the answer is longer than " + LONGEST_BODY + " bytes");
                }
                return new Answer(status, retryAfter, new String(bytes, StandardCharsets.UTF_8));
            }
        }

        /** {@return what it consists of, but only the length of the body, which may be secret} */
        @Override
        public String toString() {
            return "Answer[status=" + status + ", retryAfter=" + retryAfter + ", body=" + body.length()
                    + " characters]";
        }
    }
}
