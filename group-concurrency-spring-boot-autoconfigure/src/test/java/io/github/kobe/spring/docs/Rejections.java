package io.github.kobe.spring.docs;

import io.github.kobe.RejectedTaskException;
import java.time.Duration;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

@RestControllerAdvice
class Rejections {

    @ExceptionHandler
    ResponseEntity<ProblemDetail> tooBusy(RejectedTaskException rejection) {
        HttpStatus status = switch (rejection.reason()) {
            case GROUP_QUEUE_FULL, QUEUE_TIMEOUT, RATE_LIMITED -> HttpStatus.TOO_MANY_REQUESTS;
            default -> HttpStatus.SERVICE_UNAVAILABLE;
        };
        ProblemDetail problem = ProblemDetail.forStatusAndDetail(status, "Try again in a while");
        problem.setProperty("reason", rejection.reason());
        Duration pause = rejection.retryAfter().orElse(Duration.ofSeconds(1)); // known if a rate is the reason
        long seconds = pause.plusMillis(999).toSeconds();
        return ResponseEntity.status(status)
                .header(HttpHeaders.RETRY_AFTER, String.valueOf(seconds))
                .body(problem);
    }
}
