package io.github.kobe.spring.method;

import io.github.kobe.spring.internal.settings.PrintableText;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.BeanResolver;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.MethodResolver;
import org.springframework.expression.PropertyAccessor;
import org.springframework.expression.spel.SpelEvaluationException;
import org.springframework.expression.spel.SpelMessage;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.support.DataBindingMethodResolver;
import org.springframework.expression.spel.support.DataBindingPropertyAccessor;
import org.springframework.expression.spel.support.StandardEvaluationContext;
import org.springframework.util.ClassUtils;

/** What an annotation's expression can reach: parameters, properties to read, instance methods; no types, no constructors. */
final class KeyEvaluationContext extends StandardEvaluationContext {

    private static final List<PropertyAccessor> PROPERTIES = List.of(DataBindingPropertyAccessor.forReadOnlyAccess());
    private static final List<MethodResolver> METHODS =
            List.of(DataBindingMethodResolver.forInstanceMethodInvocation());

    private static final int DEEPEST_CAUSE = 5;

    private final Map<String, Integer> places;
    private final @Nullable Object[] args;

    /**
     * Makes one for a call.
     *
     * @param method the called method
     * @param target what is called; null: nothing is there
     * @param args the arguments
     * @param places of the arguments, by the names of their variables
     * @param beans finds the beans that expressions name; null: they may name none
     */
    KeyEvaluationContext(
            Method method,
            @Nullable Object target,
            @Nullable Object[] args,
            Map<String, Integer> places,
            @Nullable BeanResolver beans) {
        super(new CallRoot(
                method, target, target == null ? method.getDeclaringClass() : ClassUtils.getUserClass(target), args));
        this.places = places;
        this.args = args;
        setPropertyAccessors(PROPERTIES);
        setMethodResolvers(METHODS);
        setConstructorResolvers(List.of());
        setTypeLocator(type -> {
            throw new SpelEvaluationException(SpelMessage.TYPE_NOT_FOUND, type);
        });
        if (beans != null) {
            setBeanResolver(beans);
        }
    }

    /**
     * {@return the value of an expression}
     *
     * @param name what it is called in messages
     * @throws IllegalArgumentException if it can't be evaluated
     */
    @Nullable
    Object valueOf(SpelExpression expression, String name) {
        try {
            return expression.getValue(this);
        } catch (EvaluationException failure) {
            throw new IllegalArgumentException(
                    name + " can't be evaluated: " + PrintableText.inOneLine(String.valueOf(failure.getMessage())),
                    printable(failure, 0));
        }
    }

    /** {@return what tells the same in lines of its own alone: the messages of what was thrown may quote an argument} */
    private static Throwable printable(Throwable thrown, int depth) {
        Throwable cause = depth == DEEPEST_CAUSE ? null : thrown.getCause();
        Throwable told = new IllegalArgumentException(
                PrintableText.inOneLine(thrown.toString()), cause == null ? null : printable(cause, depth + 1));
        told.setStackTrace(thrown.getStackTrace());
        return told;
    }

    @Override
    public @Nullable Object lookupVariable(String name) {
        Integer place = places.get(name);
        return place == null ? null : args[place];
    }

    @Override
    public boolean isAssignmentEnabled() {
        return false;
    }
}
