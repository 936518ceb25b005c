package io.github.kobe.sample;

import io.github.kobe.RejectedTaskException;
import io.github.kobe.sample.report.NoOrdersException;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/** What a client is told when its work was not let in, or is about nothing. */
@RestControllerAdvice
class Problems {

    @ExceptionHandler
    ResponseEntity<ProblemDetail> rejected(RejectedTaskException rejection) {
        ProblemDetail problem = ProblemDetail.forStatusAndDetail(HttpStatus.TOO_MANY_REQUESTS, rejection.getMessage());
        problem.setProperty("group", rejection.groupKey());
        problem.setProperty("reason", rejection.reason());
        problem.setProperty("queued", rejection.queued());
        return ResponseEntity.of(problem).header(HttpHeaders.RETRY_AFTER, "1").build();
    }

    @ExceptionHandler
    ProblemDetail nothingToReport(NoOrdersException nothing) {
        return ProblemDetail.forStatusAndDetail(HttpStatus.NOT_FOUND, nothing.getMessage());
    }
}
