package io.github.kobe.rollout;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Map;
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
     * @param url the URL to call
     * @param headers the headers, each with one value
     * @param body the body, may be empty
     * @since 0.1.0
     */
    record Call(String method, URI url, Map<String, String> headers, String body) {

        /** Copies the headers. */
        public Call {
            headers = Map.copyOf(headers);
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
