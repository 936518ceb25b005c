package io.github.kobe.spring.method;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.BeanResolver;
import org.springframework.expression.MethodResolver;
import org.springframework.expression.PropertyAccessor;
import org.springframework.expression.spel.SpelEvaluationException;
import org.springframework.expression.spel.SpelMessage;
import org.springframework.expression.spel.support.DataBindingMethodResolver;
import org.springframework.expression.spel.support.DataBindingPropertyAccessor;
import org.springframework.expression.spel.support.StandardEvaluationContext;

/** What a group expression can reach: parameters, properties to read, instance methods; no types, no constructors. */
final class KeyEvaluationContext extends StandardEvaluationContext {

    private static final List<PropertyAccessor> PROPERTIES = List.of(DataBindingPropertyAccessor.forReadOnlyAccess());
    private static final List<MethodResolver> METHODS =
            List.of(DataBindingMethodResolver.forInstanceMethodInvocation());

    private final Map<String, Integer> places;
    private final @Nullable Object[] args;

    /**
     * @param places of the arguments, by the names of their variables
     * @param beans finds the beans that expressions name; null: they may name none
     */
    KeyEvaluationContext(CallRoot root, Map<String, Integer> places, @Nullable BeanResolver beans) {
        super(root);
        this.places = places;
        this.args = root.getArgs();
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
