package io.github.kobe.sample;

import io.github.kobe.sample.credit.TooLateException;
import io.github.kobe.sample.report.NoOrdersException;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/** What a client is told when its work is about nothing, or takes too long. Work that was not let in is answered by the library. */
@RestControllerAdvice
class Problems {

    @ExceptionHandler
    ProblemDetail nothingToReport(NoOrdersException nothing) {
        return ProblemDetail.forStatusAndDetail(HttpStatus.NOT_FOUND, nothing.getMessage());
    }

    @ExceptionHandler
    ProblemDetail tooLate(TooLateException late) {
        return ProblemDetail.forStatusAndDetail(HttpStatus.GATEWAY_TIMEOUT, late.getMessage());
    }
}
