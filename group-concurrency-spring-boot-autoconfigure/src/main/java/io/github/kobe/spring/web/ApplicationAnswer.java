package io.github.kobe.spring.web;

import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.ErrorResponse;

/** What the application makes of the answers to rejections, if it has a bean for that. */
final class ApplicationAnswer {

    private static final Log LOGGER = LogFactory.getLog(ApplicationAnswer.class);

    private final AtomicBoolean told = new AtomicBoolean();
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

    /** {@return the answer to a problem: ours, if the bean has none} There has to be such a bean. */
    ErrorResponse to(RejectionProblem problem, Locale locale) {
        RejectionAnswer bean = application.obtain().orElseThrow();
        ErrorResponse ours = RejectionResponse.of(problem);
        @Nullable ErrorResponse changed = bean.answer(ours, locale);
        if (changed != null) {
            return changed;
        }
        if (told.compareAndSet(false, true)) {
            LOGGER.warn("The RejectionAnswer " + bean.getClass().getName()
                    + " returned null, so the answer is sent as it was given to it. This is told once.");
        }
        return ours;
    }
}
