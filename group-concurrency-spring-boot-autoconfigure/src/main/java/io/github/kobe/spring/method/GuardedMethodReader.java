package io.github.kobe.spring.method;

import io.github.kobe.spring.annotation.GroupConcurrent;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.core.env.Environment;

/** Reads an annotation for a method: it reports errors, and works out everything that is known before a call. */
final class GuardedMethodReader {

    private static final Log LOGGER = LogFactory.getLog(GuardedMethodReader.class);

    private final Placeholders placeholders;
    private final ExecutorChoice executors;
    private final UnsetLimits unset;
    private final boolean beanReferences;
    private final Set<String> warned = ConcurrentHashMap.newKeySet();

    GuardedMethodReader(Environment environment, ListableBeanFactory beans, boolean beanReferences) {
        this.placeholders = new Placeholders(environment);
        this.executors = new ExecutorChoice(beans);
        this.unset = new UnsetLimits(environment);
        this.beanReferences = beanReferences;
    }

    /**
     * Reads an annotation.
     *
     * @param element where it is
     * @param method the method that it holds for
     * @param type the class of the bean
     * @throws InvalidGroupConcurrentException if it can't work
     */
    GuardedMethod read(GroupConcurrent annotation, AnnotatedElement element, Method method, Class<?> type) {
        CallStyle style = ReturnTypes.styleOf(element, method, type);
        ExpressionCheck check = new ExpressionCheck(method, GuardedMethods.PARAMETER_NAMES, beanReferences);
        GroupKeyExpression key = GroupKeyExpression.parse(annotation.group(), element, method, check, placeholders);
        warnOfMisreadText(annotation.group(), element, method);
        return new GuardedMethod(
                method,
                key,
                CostExpressions.parse(annotation.cost(), element, method, check, placeholders),
                queueTimeout(annotation, element),
                annotation.fallbackMethod().isEmpty()
                        ? null
                        : FallbackMethod.find(annotation.fallbackMethod(), element, method, type),
                executors.find(placeholders.fill(annotation.executor(), element, "executor"), element),
                style,
                method.getDeclaringClass().getSimpleName() + "." + method.getName(),
                Arrays.stream(method.getExceptionTypes())
                        .anyMatch(thrown -> thrown.isAssignableFrom(InterruptedException.class)),
                unset.watch(annotation.group()),
                new OwnGroupWait(InvalidGroupConcurrentException.nameOf(method)));
    }

    private void warnOfMisreadText(String group, AnnotatedElement element, Method method) {
        MisreadText misread = new MisreadText(method);
        for (String text : GroupKeyExpression.textsIn(group, element)) {
            String doubt = misread.doubtAbout(text, text.equals(group));
            if (doubt != null && warned.add(InvalidGroupConcurrentException.nameOf(element))) {
                LOGGER.warn("@GroupConcurrent on " + InvalidGroupConcurrentException.nameOf(element)
                        + " has the group \"" + group + "\", with " + doubt);
            }
        }
    }

    private @Nullable Duration queueTimeout(GroupConcurrent annotation, AnnotatedElement element) {
        if (annotation.queueTimeout().isEmpty()) {
            return null;
        }
        String text = placeholders.fill(annotation.queueTimeout(), element, "queueTimeout");
        String problem = "no duration";
        try {
            Duration timeout = DurationStyle.detectAndParse(text);
            boolean hasUnit = !Character.isDigit(text.charAt(text.length() - 1));
            if (hasUnit && !timeout.isNegative()) {
                return timeout;
            }
            problem = hasUnit ? "less than zero" : "without a unit";
        } catch (IllegalArgumentException unreadable) {
            // Refused below, as one that can be misread is.
        }
        throw new InvalidGroupConcurrentException(
                element,
                "has the queueTimeout " + placeholders.tell(annotation.queueTimeout(), text) + ", which is " + problem,
                "Write a number with a unit, such as 500ms or 5s, or an ISO-8601 duration, of zero or more.");
    }
}
