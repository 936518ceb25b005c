package io.github.kobe.compat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.kobe.GroupExecutor;
import io.github.kobe.spring.annotation.GroupConcurrent;
import io.github.kobe.spring.autoconfigure.GroupConcurrencyAutoConfiguration;
import io.github.kobe.spring.method.GroupConcurrentAspectAutoConfiguration;
import io.github.kobe.spring.testing.BootAutoConfigurations;
import jakarta.validation.ConstraintViolationException;
import jakarta.validation.Validator;
import jakarta.validation.constraints.NotBlank;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.validation.annotation.Validated;
import org.springframework.validation.beanvalidation.MethodValidationPostProcessor;

/** The limit beside the validation of a method's arguments. */
class ValidatedCallsTests {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(BootAutoConfigurations.named("ValidationAutoConfiguration"))
            .withConfiguration(AutoConfigurations.of(
                    GroupConcurrencyAutoConfiguration.class, GroupConcurrentAspectAutoConfiguration.class))
            .withBean(Orders.class);

    /** Spring puts it inside all that is there already, its transactions too. */
    @Test
    void argumentsAreValidatedWhenTheTurnHasCome() {
        runner.run(context -> {
            assertInvalid(context.getBean(Orders.class));

            assertThat(context.getBean(GroupExecutor.class)
                            .groupStats("orders")
                            .orElseThrow()
                            .totals()
                            .failed())
                    .isEqualTo(1);
        });
    }

    @Test
    void aPostProcessorOfTheApplicationsOwnValidatesThemBefore() {
        runner.withUserConfiguration(Further.class).run(context -> {
            assertInvalid(context.getBean(Orders.class));

            assertThat(context.getBean(GroupExecutor.class).groupKeys()).isEmpty();
        });
    }

    private static void assertInvalid(Orders orders) {
        assertThatExceptionOfType(ConstraintViolationException.class)
                .isThrownBy(() -> orders.add(" "))
                .withMessageContaining("must not be blank");
    }

    @Configuration(proxyBeanMethods = false)
    static class Further {

        @Bean
        static MethodValidationPostProcessor methodValidationPostProcessor(ObjectProvider<Validator> validator) {
            MethodValidationPostProcessor validation = new MethodValidationPostProcessor();
            validation.setValidatorProvider(validator);
            validation.setBeforeExistingAdvisors(true);
            return validation;
        }
    }

    @Validated
    static class Orders {

        @GroupConcurrent("orders")
        void add(@NotBlank String name) {}
    }
}
