package io.github.kobe.spring.autoconfigure;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.context.annotation.Conditional;

/**
 * Matches if a setting that is a switch is on. It is read as Spring Boot binds any boolean, {@code on} and {@code yes}
 * included, so that the condition and the bound setting never differ; what is no boolean fails the start-up.
 */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Conditional(OnSwitch.class)
public @interface ConditionalOnSwitch {

    /** {@return the setting's name, after the prefix of all settings} */
    String value();

    /** {@return what holds if the setting isn't there} */
    boolean byDefault() default true;
}
