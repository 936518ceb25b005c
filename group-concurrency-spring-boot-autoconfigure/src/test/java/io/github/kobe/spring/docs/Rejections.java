package io.github.kobe.spring.docs;

import io.github.kobe.RejectedTaskException;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

@RestControllerAdvice
class Rejections {

    @ExceptionHandler
    ProblemDetail tooBusy(RejectedTaskException rejection) {
        ProblemDetail problem = ProblemDetail.forStatusAndDetail(
                HttpStatus.TOO_MANY_REQUESTS, "Too many requests of " + rejection.groupKey());
        problem.setProperty("reason", rejection.reason());
        return problem;
    }
}
