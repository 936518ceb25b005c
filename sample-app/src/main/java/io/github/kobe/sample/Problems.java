package io.github.kobe.sample;

import io.github.kobe.sample.credit.TooLateException;
import io.github.kobe.sample.report.NoOrdersException;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.client.HttpClientErrorException;

/** What a client is told when its work is about nothing, or takes too long. Work that was not let in is answered by the library. */
@RestControllerAdvice
class Problems {

    @ExceptionHandler
    ProblemDetail nothingToReport(NoOrdersException nothing) {
        return ProblemDetail.forStatusAndDetail(HttpStatus.NOT_FOUND, nothing.getMessage());
    }

    /** The client has not asked for too much: all together have. */
    @ExceptionHandler
    ProblemDetail refusedByThePartner(HttpClientErrorException.TooManyRequests refusal) {
        return ProblemDetail.forStatusAndDetail(
                HttpStatus.SERVICE_UNAVAILABLE, "The partner takes no more at the moment");
    }

    @ExceptionHandler
    ProblemDetail tooLate(TooLateException late) {
        return ProblemDetail.forStatusAndDetail(HttpStatus.GATEWAY_TIMEOUT, late.getMessage());
    }
}
