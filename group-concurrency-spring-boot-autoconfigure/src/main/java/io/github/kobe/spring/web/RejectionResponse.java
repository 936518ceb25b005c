package io.github.kobe.spring.web;

import io.github.kobe.RejectedTaskException;
import io.github.kobe.RejectionReason;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.json.JsonWriter;
import org.springframework.http.HttpHeaders;
import org.springframework.http.InvalidMediaTypeException;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.util.MimeTypeUtils;
import org.springframework.web.ErrorResponse;

/** A problem in Spring's terms, which an application may change. */
final class RejectionResponse {

    /** Tells the codes of messages, and is never thrown: a refusal costs no stack trace. */
    @SuppressWarnings("StaticAssignmentOfThrowable") // only its class counts
    private static final RejectedTaskException FOR_CODES =
            new RejectedTaskException("", "", RejectionReason.GROUP_QUEUE_FULL, -1, -1);

    private RejectionResponse() {}

    static ErrorResponse of(RejectionProblem problem) {
        ErrorResponse.Builder answer = ErrorResponse.builder(FOR_CODES, problem.status(), problem.detail())
                .detailMessageCode(
                        ErrorResponse.getDefaultDetailMessageCode(RejectedTaskException.class, problem.code()))
                .headers(
                        headers -> { // also where there is none: else nobody could add one
                            String retryAfter = problem.retryAfter();
                            if (retryAfter != null) {
                                headers.set(HttpHeaders.RETRY_AFTER, retryAfter);
                            }
                        });
        return (problem.reason() == null
                        ? answer
                        : answer.property("reason", problem.reason().name()))
                .build();
    }

    /** {@return a problem in JSON, written without a library for that, which need not be there} */
    static byte[] jsonOf(ProblemDetail problem) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put(
                "type",
                problem.getType() == null ? "about:blank" : problem.getType().toString());
        members.put("title", problem.getTitle());
        members.put("status", problem.getStatus());
        members.put("detail", problem.getDetail());
        if (problem.getInstance() != null) {
            members.put("instance", problem.getInstance().toString());
        }
        if (problem.getProperties() != null) {
            members.putAll(problem.getProperties());
        }
        return JsonWriter.standard().write(members).toByteArray();
    }

    /**
     * {@return the types to answer with, the most wanted one first; JSON is always among them}
     *
     * @param accept what the client accepts, as it has written it
     */
    static List<MediaType> typesFor(@Nullable String accept) {
        try {
            List<MediaType> wanted = MediaType.parseMediaTypes(accept);
            MimeTypeUtils.sortBySpecificity(wanted);
            for (MediaType type : wanted) {
                if (type.includes(MediaType.APPLICATION_PROBLEM_JSON)) {
                    break;
                }
                if (type.includes(MediaType.APPLICATION_PROBLEM_XML)) {
                    return List.of(MediaType.APPLICATION_PROBLEM_XML, MediaType.APPLICATION_PROBLEM_JSON);
                }
            }
        } catch (InvalidMediaTypeException unreadable) {
            // As if nothing were said.
        }
        return List.of(MediaType.APPLICATION_PROBLEM_JSON);
    }
}
