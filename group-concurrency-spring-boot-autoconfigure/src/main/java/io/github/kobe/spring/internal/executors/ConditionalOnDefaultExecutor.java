package io.github.kobe.spring.internal.executors;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.context.annotation.Conditional;

/**
 * Matches if there is a default executor, which is the one used where no name is given. It doesn't match if both that
 * executor and a bean of the given type belong to an ancestor context: that bean uses the executor already.
 */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Conditional(OnDefaultExecutor.class)
public @interface ConditionalOnDefaultExecutor {

    /** {@return the type of the bean that uses the executor} */
    Class<?> value();
}
