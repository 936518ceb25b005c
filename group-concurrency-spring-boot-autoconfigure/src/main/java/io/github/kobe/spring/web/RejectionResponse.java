package io.github.kobe.spring.web;

import io.github.kobe.RejectedTaskException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.json.JsonWriter;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.InvalidMediaTypeException;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.util.MimeTypeUtils;
import org.springframework.web.ErrorResponse;

/** A problem in Spring's terms, which an application may change. */
final class RejectionResponse implements ErrorResponse {

    private final HttpStatusCode status;
    private final String code;
    private final HttpHeaders headers = new HttpHeaders();
    private final ProblemDetail body;

    RejectionResponse(RejectionProblem problem) {
        status = problem.status();
        code = problem.code();
        body = ProblemDetail.forStatusAndDetail(problem.status(), problem.detail());
        if (problem.reason() != null) {
            body.setProperty("reason", problem.reason().name());
        }
        String retryAfter = problem.retryAfter();
        if (retryAfter != null) {
            headers.set(HttpHeaders.RETRY_AFTER, retryAfter);
        }
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

    @Override
    public HttpStatusCode getStatusCode() {
        return status;
    }

    @Override
    public HttpHeaders getHeaders() {
        return headers;
    }

    @Override
    public ProblemDetail getBody() {
        return body;
    }

    @Override
    public String getTypeMessageCode() {
        return ErrorResponse.getDefaultTypeMessageCode(RejectedTaskException.class);
    }

    @Override
    public String getTitleMessageCode() {
        return ErrorResponse.getDefaultTitleMessageCode(RejectedTaskException.class);
    }

    @Override
    public String getDetailMessageCode() {
        return ErrorResponse.getDefaultDetailMessageCode(RejectedTaskException.class, code);
    }
}
