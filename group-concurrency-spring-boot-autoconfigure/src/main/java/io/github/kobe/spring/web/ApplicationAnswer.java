package io.github.kobe.spring.web;

import java.util.Locale;
import java.util.Optional;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.ErrorResponse;

/** What the application makes of the answers to rejections, if it has a bean for that. */
final class ApplicationAnswer {

    private final SingletonSupplier<Optional<RejectionAnswer>> application;

    /**
     * @param beans has it; asked once all other beans are there
     */
    ApplicationAnswer(BeanFactory beans) {
        application = SingletonSupplier.of(() ->
                Optional.ofNullable(beans.getBeanProvider(RejectionAnswer.class).getIfAvailable()));
    }

    /** Has the bean made, if there is one. */
    void makeReady() {
        Optional<RejectionAnswer> unused = application.obtain();
    }

    boolean isThere() {
        return application.obtain().isPresent();
    }

    /** {@return the answer to a problem} There has to be such a bean. */
    ErrorResponse to(RejectionProblem problem, Locale locale) {
        return application.obtain().orElseThrow().answer(new RejectionResponse(problem), locale);
    }
}
