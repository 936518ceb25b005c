package io.github.kobe.spring.autoconfigure;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.context.annotation.Conditional;

/**
 * Matches if the named switches are on. Each is read as Spring Boot binds any boolean, {@code on} and {@code yes}
 * included, so that the condition and the bound setting never differ; what is no boolean fails the start-up.
 */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Conditional(OnSwitch.class)
public @interface ConditionalOnSwitch {

    /** {@return the settings' names, after the prefix of all settings; each must be on} */
    String[] value();

    /** {@return what holds for a setting that isn't there} */
    boolean byDefault() default true;
}
