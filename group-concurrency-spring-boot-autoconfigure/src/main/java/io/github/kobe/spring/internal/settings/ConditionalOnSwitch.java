package io.github.kobe.spring.internal.settings;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.context.annotation.Conditional;

/**
 * Matches if the named switches are on. Each is read as Spring Boot binds any boolean, {@code on} and {@code yes}
 * included, so the condition and the bound setting never differ. A value that isn't a boolean fails the start-up.
 */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Conditional(OnSwitch.class)
public @interface ConditionalOnSwitch {

    /** {@return the settings' names, after the prefix of all settings; each must be on} */
    String[] value();

    /** {@return the value of a setting that is missing} */
    boolean byDefault() default true;
}
