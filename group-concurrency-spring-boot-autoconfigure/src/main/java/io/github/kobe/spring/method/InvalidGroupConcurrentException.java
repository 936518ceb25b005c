package io.github.kobe.spring.method;

import io.github.kobe.spring.annotation.GroupConcurrent;
import io.github.kobe.spring.internal.settings.PrintableText;
import java.io.Serial;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.stream.Collectors;

/** Thrown at start-up for a {@link GroupConcurrent} that can't work. */
final class InvalidGroupConcurrentException extends RuntimeException {

    @Serial
    private static final long serialVersionUID = 1L;

    /** What to do about it. */
    private final String action;

    InvalidGroupConcurrentException(AnnotatedElement element, String problem, String action) {
        super(message(element, problem));
        this.action = action;
    }

    InvalidGroupConcurrentException(AnnotatedElement element, String problem, String action, Throwable cause) {
        super(message(element, problem), cause);
        this.action = action;
    }

    private static String message(AnnotatedElement element, String problem) {
        return "@GroupConcurrent on " + nameOf(element) + " " + PrintableText.inOneLine(problem);
    }

    /** {@return what to do about it} */
    public String action() {
        return action;
    }

    static String nameOf(AnnotatedElement element) {
        if (element instanceof Method method) {
            String parameters = Arrays.stream(method.getParameterTypes())
                    .map(Class::getSimpleName)
                    .collect(Collectors.joining(", "));
            return method.getDeclaringClass().getName() + "." + method.getName() + "(" + parameters + ")";
        }
        return element instanceof Class<?> type ? type.getName() : element.toString();
    }
}
