package io.github.kobe.spring.interceptor;

import java.lang.reflect.Method;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.context.expression.MethodBasedEvaluationContext;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.BeanResolver;
import org.springframework.expression.MethodResolver;
import org.springframework.expression.PropertyAccessor;
import org.springframework.expression.spel.SpelEvaluationException;
import org.springframework.expression.spel.SpelMessage;
import org.springframework.expression.spel.support.DataBindingMethodResolver;
import org.springframework.expression.spel.support.DataBindingPropertyAccessor;

/** What a group expression can reach: parameters, properties to read, instance methods; no types, no constructors. */
final class KeyEvaluationContext extends MethodBasedEvaluationContext {

    private static final List<PropertyAccessor> PROPERTIES = List.of(DataBindingPropertyAccessor.forReadOnlyAccess());
    private static final List<MethodResolver> METHODS =
            List.of(DataBindingMethodResolver.forInstanceMethodInvocation());

    KeyEvaluationContext(
            CallRoot root,
            Method method,
            @Nullable Object[] args,
            ParameterNameDiscoverer names,
            @Nullable BeanResolver beans) {
        super(root, method, args, names);
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
    public boolean isAssignmentEnabled() {
        return false;
    }
}
