package io.github.kobe.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.spring.autoconfigure.GroupConcurrencyAutoConfiguration;
import io.github.kobe.spring.autoconfigure.web.GroupConcurrencyWebAutoConfiguration;
import io.github.kobe.spring.properties.InvalidSettingException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;

class FilterSettingsTests {

    private static final String PREFIX = "group-concurrency.web.filter.";

    private final WebApplicationContextRunner runner = new WebApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    GroupConcurrencyAutoConfiguration.class, GroupConcurrencyWebAutoConfiguration.class))
            .withPropertyValues(PREFIX + "enabled=true");

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        header=                                | enabled      | true           | exactly one of header, principal: true and path-pattern
        header=X-A principal=true              | principal    | true           | exactly one of header, principal: true and path-pattern
        header=X-A path-pattern=/{a}           | path-pattern | /{a}           | exactly one of header, principal: true and path-pattern
        path-pattern=/tenants                  | path-pattern | /tenants       | exactly one variable
        path-pattern=/{a}/{b}                  | path-pattern | /{a}/{b}       | exactly one variable
        path-pattern=/{a                       | path-pattern | /{a            | exactly one variable
        header=X-A paths=/{a                   | paths        | /{a            | a path pattern such as /api/**
        """)
    void whatCannotBeReadFailsTheStartUpWithWhatIsAllowed(
            String settings, String property, String value, String allowed) {
        WebApplicationContextRunner bad = runner;
        for (String setting : settings.split(" ", -1)) {
            bad = bad.withPropertyValues(PREFIX + setting);
        }
        bad.run(context -> assertThat(context)
                .getFailure()
                .rootCause()
                .satisfies(root -> assertThat(context.getStartupFailure()).satisfies(failure -> {
                    Throwable cause = failure;
                    while (!(cause instanceof InvalidSettingException)) {
                        cause = cause.getCause();
                        assertThat(cause).isNotNull();
                    }
                    InvalidSettingException refusal = (InvalidSettingException) cause;
                    assertThat(refusal.property()).isEqualTo(PREFIX + property);
                    assertThat(refusal.value()).isEqualTo(value);
                    assertThat(refusal.origin()).contains("from property source \"test\"");
                    assertThat(refusal.allowed()).contains(allowed);
                })));
    }

    @Test
    void aBeanForTheKeyNeedsNoSettingOfIt() {
        runner.withBean(RequestGroupKey.class, () -> request -> "a")
                .run(context -> assertThat(context).hasSingleBean(GroupConcurrencyFilter.class));
    }

    @Test
    void severalExecutorsOfWhichNoneIsPrimaryFailTheStartUp() {
        runner.withPropertyValues(PREFIX + "header=X-A")
                .withBean("one", GroupExecutor.class, FilterSettingsTests::executor)
                .withBean("two", GroupExecutor.class, FilterSettingsTests::executor)
                .run(context -> assertThat(context)
                        .getFailure()
                        .isInstanceOf(NoUniqueBeanDefinitionException.class)
                        .hasMessageContaining("one,two"));
    }

    private static GroupExecutor executor() {
        return GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder().build());
    }

    @Test
    void withoutTheSwitchThereIsNoFilter() {
        runner.withPropertyValues(PREFIX + "enabled=false", PREFIX + "header=X-A")
                .run(context -> assertThat(context).doesNotHaveBean(GroupConcurrencyFilter.class));
    }
}
