package io.github.kobe.spring.method;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.spring.GroupConcurrencyResolver;
import io.github.kobe.spring.annotation.GroupConcurrent;
import io.github.kobe.spring.autoconfigure.GroupConcurrencyAutoConfiguration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.env.MapPropertySource;

/** Groups that work, but hardly as they are meant. */
@ExtendWith(OutputCaptureExtension.class)
class DoubtfulGroupsTests {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    GroupConcurrencyAutoConfiguration.class, GroupConcurrentAspectAutoConfiguration.class));

    @Test
    void aTextThatLooksLikeATemplateIsWarnedOfOnce(CapturedOutput output) {
        runner.withBean(Lookalikes.class).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(lines(output, " has the group \""))
                    .anySatisfy(line -> assertThat(line)
                            .contains("@GroupConcurrent on " + Lookalikes.class.getName()
                                    + ".braces(String) has the group \"tenant:{tenantId}\"")
                            .contains("write #{#tenantId}"))
                    .anySatisfy(line -> assertThat(line)
                            .contains(".star(String) has the group \"tenant:*\"")
                            .contains("such as #{#tenantId}"))
                    .anySatisfy(line -> assertThat(line)
                            .contains(".bareName(String) has the group \"tenantId\"")
                            .contains("write #tenantId"))
                    .anySatisfy(line -> assertThat(line)
                            .contains(".half(String, String) has the group \"{tenantId}:#{#region}\"")
                            .contains("write #{#tenantId}"))
                    .hasSize(4);
        });
    }

    @Test
    void aTypesTextIsWarnedOfOnceForAllItsMethods(CapturedOutput output) {
        runner.withBean(TypeWithBraces.class)
                .run(context -> assertThat(lines(output, " has the group \"")).hasSize(1));
    }

    @Test
    void whatIsMeantAsItIsIsNotWarnedOf(CapturedOutput output) {
        runner.withPropertyValues("region={north}*", "group-concurrency.defaults.max-concurrency=2")
                .withBean(Plain.class)
                .run(context -> {
                    context.getBean(Plain.class).placeholder("a");
                    context.getBean(Plain.class).quoted("a");
                    assertThat(context.getBean(GroupExecutor.class).groupKeys())
                            .containsExactlyInAnyOrder("room:{north}*", "tenant:*");
                    assertThat(lines(output, "WARN")).isEmpty();
                });
    }

    @Test
    void callsOfGroupsThatAreNamedExactlyReadNoSettings() {
        AtomicInteger reads = new AtomicInteger();
        runner.withPropertyValues("group-concurrency.groups.exports.max-concurrency=2")
                .withInitializer(context -> context.getEnvironment()
                        .getPropertySources()
                        .addFirst(new MapPropertySource("counted", Map.of("other", "value")) {
                            @Override
                            public @Nullable Object getProperty(String name) {
                                reads.getAndIncrement();
                                return super.getProperty(name);
                            }

                            @Override
                            public String[] getPropertyNames() {
                                reads.getAndIncrement();
                                return super.getPropertyNames();
                            }

                            @Override
                            public boolean containsProperty(String name) {
                                reads.getAndIncrement();
                                return super.containsProperty(name);
                            }
                        }))
                .withBean(Reports.class)
                .run(context -> {
                    Reports reports = context.getBean(Reports.class);
                    reports.literal();
                    int before = reads.get();
                    for (int i = 0; i < 3; i++) {
                        reports.literal();
                    }
                    assertThat(reads).hasValue(before);
                });
    }

    @Test
    void aGroupThatNobodySetLimitsForIsNamedOnce(CapturedOutput output) {
        runner.withBean(Reports.class).run(context -> {
            Reports reports = context.getBean(Reports.class);
            assertThat(named(output)).isEmpty();
            for (int i = 0; i < 3; i++) {
                reports.literal();
                reports.sameLiteral();
                reports.template("tenant-" + i);
            }

            assertThat(named(output)).hasSize(2);
            assertThat(named(output).getFirst())
                    .contains("The group 'exports' of " + Reports.class.getName()
                            + ".literal() has the built-in limits, because none are configured: one call at a time,"
                            + " while any number of others wait for as long as it takes")
                    .contains("under group-concurrency.defaults.");
            assertThat(named(output).getLast()).contains("The group 'tenant:tenant-0' of ");
        });
    }

    @Test
    void aGroupBesideOnesThatAreSetIsNamedToo(CapturedOutput output) {
        runner.withPropertyValues(
                        "group-concurrency.group-list[0].key=tenant:vip",
                        "group-concurrency.group-list[0].max-concurrency=1")
                .withBean(Reports.class)
                .run(context -> {
                    context.getBean(Reports.class).template("vip");
                    assertThat(named(output)).isEmpty();

                    context.getBean(Reports.class).template("other");

                    assertThat(named(output)).singleElement().asString().contains("The group 'tenant:other' of ");
                });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "group-concurrency.defaults.max-concurrency=1",
                "group-concurrency.defaults.queue-timeout=1m",
                "group-concurrency.groups.[*].weight=1",
            })
    void whereDefaultsAreSetNoGroupIsNamed(String setting, CapturedOutput output) {
        runner.withPropertyValues(setting).withBean(Reports.class).run(context -> {
            context.getBean(Reports.class).literal();
            context.getBean(Reports.class).template("a");

            assertThat(named(output)).isEmpty();
        });
    }

    @Test
    void whereCodeSetsLimitsNoGroupIsNamed(CapturedOutput output) {
        runner.withBean(GroupConcurrencyResolver.class, () -> key -> 2)
                .withBean(Reports.class)
                .run(context -> context.getBean(Reports.class).literal());
        runner.withBean(
                        GroupPolicy.class,
                        () -> GroupPolicy.builder()
                                .defaultMaxConcurrencyPerGroup(2)
                                .build())
                .withBean(Reports.class)
                .run(context -> context.getBean(Reports.class).literal());

        assertThat(named(output)).isEmpty();
    }

    private static List<String> named(CapturedOutput output) {
        return lines(output, "has the built-in limits");
    }

    private static List<String> lines(CapturedOutput output, String text) {
        return output.getOut().lines().filter(line -> line.contains(text)).toList();
    }

    static class Lookalikes {
        @GroupConcurrent(group = "tenant:{tenantId}")
        void braces(String tenantId) {}

        @GroupConcurrent(group = "tenant:*")
        void star(String tenantId) {}

        @GroupConcurrent(group = "tenantId")
        void bareName(String tenantId) {}

        @GroupConcurrent(group = "{tenantId}:#{#region}")
        void half(String tenantId, String region) {}
    }

    @GroupConcurrent(group = "tenant:{id}")
    static class TypeWithBraces {
        void first() {}

        void second() {}
    }

    static class Plain {
        @GroupConcurrent(group = "room:${region}")
        void placeholder(String region) {}

        @GroupConcurrent(group = "#{'tenant:*'}")
        void quoted(String tenantId) {}

        @GroupConcurrent(group = "room#1 {}")
        void empty(String tenantId) {}

        @GroupConcurrent(group = "tenantIds")
        void otherName(String tenantId) {}
    }

    static class Reports {
        @GroupConcurrent(group = "exports")
        void literal() {}

        @GroupConcurrent(group = "exports")
        void sameLiteral() {}

        @GroupConcurrent(group = "tenant:#{#tenantId}")
        void template(String tenantId) {}
    }
}
