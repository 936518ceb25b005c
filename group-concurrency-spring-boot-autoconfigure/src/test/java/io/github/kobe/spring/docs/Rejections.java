package io.github.kobe.spring.docs;

import io.github.kobe.RejectedTaskException;
import io.github.kobe.RejectionReason;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

@RestControllerAdvice
class Rejections {

    @ExceptionHandler
    ProblemDetail tooBusy(RejectedTaskException rejection) {
        boolean own = rejection.reason() == RejectionReason.GROUP_QUEUE_FULL
                || rejection.reason() == RejectionReason.QUEUE_TIMEOUT;
        ProblemDetail problem =
                ProblemDetail.forStatus(own ? HttpStatus.TOO_MANY_REQUESTS : HttpStatus.SERVICE_UNAVAILABLE);
        problem.setDetail("Try again in a while");
        problem.setProperty("reason", rejection.reason());
        return problem;
    }
}
