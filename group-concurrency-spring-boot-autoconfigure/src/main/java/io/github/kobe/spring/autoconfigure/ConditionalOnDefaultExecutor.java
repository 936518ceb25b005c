package io.github.kobe.spring.autoconfigure;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.context.annotation.Conditional;

/**
 * Matches where one executor is meant without a name, unless it is an ancestor's, and so is a bean of what is made over
 * it: that is over it already.
 */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Conditional(OnDefaultExecutor.class)
public @interface ConditionalOnDefaultExecutor {

    /** {@return the type of what is made over the executor} */
    Class<?> value();
}
