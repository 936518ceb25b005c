package io.github.kobe.spring.together;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaMethod;
import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.spring.autoconfigure.GroupConcurrencyAutoConfiguration;
import io.github.kobe.spring.dashboard.GroupConcurrencyDashboardAutoConfiguration;
import io.github.kobe.spring.jdbc.ConnectionGroup;
import io.github.kobe.spring.rollout.GroupConcurrencyRolloutAutoConfiguration;
import io.github.kobe.spring.testing.BootAutoConfigurations;
import io.github.kobe.testing.HouseRules;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.beans.factory.annotation.AnnotatedBeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.test.context.runner.AbstractApplicationContextRunner;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.type.MethodMetadata;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.util.ClassUtils;
import org.springframework.web.client.RestClient;

/** An application that has a bean in place of one of ours, whichever that is. */
@Tag("deep")
class BackingOffTests {

    private static final AutoConfigurations OURS = AutoConfigurations.of(StreamSupport.stream(
                    ImportCandidates.load(AutoConfiguration.class, BackingOffTests.class.getClassLoader())
                            .spliterator(),
                    false)
            .filter(name -> name.startsWith("io.github.kobe."))
            .map(name -> ClassUtils.resolveClassName(name, BackingOffTests.class.getClassLoader()))
            .toArray(Class<?>[]::new));

    /** Applications that have all of our beans between them. */
    private enum Kind {
        SERVLET,
        REACTIVE,
        WITH_AN_EXECUTOR;

        private AbstractApplicationContextRunner<?, ?, ?> empty() {
            return switch (this) {
                case SERVLET -> new WebApplicationContextRunner();
                case REACTIVE -> new ReactiveWebApplicationContextRunner();
                case WITH_AN_EXECUTOR ->
                    new WebApplicationContextRunner().withBean("own", GroupExecutor.class, Kind::own);
            };
        }

        private static GroupExecutor own() {
            return GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder().build());
        }

        private AbstractApplicationContextRunner<?, ?, ?> runner() {
            return empty().withUserConfiguration(Application.class)
                    .withConfiguration(OURS)
                    .withConfiguration(BootAutoConfigurations.named(
                            "DispatcherServletAutoConfiguration",
                            "WebMvcAutoConfiguration",
                            "WebFluxAutoConfiguration",
                            "EndpointAutoConfiguration",
                            "WebEndpointAutoConfiguration",
                            "ManagementContextAutoConfiguration"))
                    .withPropertyValues(
                            "group-concurrency.web.filter.enabled=true",
                            "group-concurrency.web.filter.rules[0].key-source=principal",
                            "group-concurrency.dashboard.enabled=true",
                            "group-concurrency.observations.mode=always",
                            "group-concurrency.datasource.max-connections=2",
                            "group-concurrency.cluster.namespace=tests",
                            "group-concurrency.redis.uri=redis://localhost:1",
                            "group-concurrency.rollout.checkpoint.store-type=redis",
                            "management.endpoints.web.exposure.include=*");
        }

        private void run(
                AbstractApplicationContextRunner<?, ?, ?> runner, Consumer<ConfigurableApplicationContext> look) {
            runner.run(context -> {
                assertThat(context).hasNotFailed();
                look.accept((ConfigurableApplicationContext) context.getSourceApplicationContext());
            });
        }

        /** {@return the types of our beans by their names} */
        private Map<String, Class<?>> beans() {
            Map<String, Class<?>> found = new LinkedHashMap<>();
            run(runner(), context -> {
                for (String name : context.getBeanDefinitionNames()) {
                    MethodMetadata method = context.getBeanFactory().getBeanDefinition(name)
                                    instanceof AnnotatedBeanDefinition definition
                            ? definition.getFactoryMethodMetadata()
                            : null;
                    if (method != null
                            && method.getDeclaringClassName().startsWith("io.github.kobe.spring.")
                            && !method.getDeclaringClassName().startsWith(BackingOffTests.class.getName())) {
                        found.put(name, typeOf(method));
                    }
                }
            });
            return found;
        }

        private static Class<?> typeOf(MethodMetadata method) {
            return ClassUtils.resolveClassName(method.getReturnTypeName(), BackingOffTests.class.getClassLoader());
        }
    }

    /** {@return each of our beans, in the first kind of application that has it} */
    static Stream<Arguments> beans() {
        Map<String, Arguments> all = new LinkedHashMap<>();
        for (Kind kind : Kind.values()) {
            kind.beans().forEach((name, type) -> all.putIfAbsent(name, Arguments.of(name, kind, type)));
        }
        return all.values().stream();
    }

    @ParameterizedTest
    @EnumSource
    void thoseOfTypesThatAreNotPublicBackOffForAnyBeansOfTheirNames(Kind kind) {
        Set<String> names = new TreeSet<>();
        kind.beans().forEach((name, type) -> {
            if (!Modifier.isPublic(type.getModifiers())) {
                names.add(name);
            }
        });
        AbstractApplicationContextRunner<?, ?, ?> runner = kind.runner();
        for (String name : names) {
            runner = runner.withBean(name, Object.class, Object::new);
        }

        kind.run(
                runner,
                context -> assertThat(names)
                        .isNotEmpty()
                        .allSatisfy(name -> assertThat(context.getBean(name)).isExactlyInstanceOf(Object.class)));
    }

    /** One of the same type, if an application can have one; else anything of the same name. */
    @ParameterizedTest(name = "{0}")
    @Tag("deep")
    @MethodSource("beans")
    void eachBeanAloneBacksOffForOneOfTheApplication(String name, Kind kind, Class<?> type) {
        if (Modifier.isPublic(type.getModifiers())) {
            kind.run(kind.runner(), first -> assertBacksOff(name, kind, type, first.getBean(name)));
        } else {
            assertBacksOff(name, kind, Object.class, new Object());
        }
    }

    private static <T> void assertBacksOff(String name, Kind kind, Class<T> type, Object own) {
        kind.run(
                kind.runner().withBean(name, type, () -> type.cast(own)),
                context -> assertThat(context.getBean(name)).isSameAs(own));
    }

    @Test
    @Tag("once")
    void thoseAreAll() {
        Set<String> declared = Stream.of(
                        GroupConcurrencyAutoConfiguration.class,
                        GroupConcurrencyDashboardAutoConfiguration.class,
                        GroupConcurrencyRolloutAutoConfiguration.class)
                .flatMap(type -> HouseRules.classesBeside(type).stream())
                .flatMap(type -> type.getMethods().stream())
                .filter(method -> method.isAnnotatedWith(Bean.class))
                .flatMap(BackingOffTests::namesOf)
                .collect(Collectors.toCollection(TreeSet::new));

        assertThat(beans().map(bean -> bean.get()[0])).containsExactlyInAnyOrderElementsOf(List.copyOf(declared));
    }

    private static Stream<String> namesOf(JavaMethod method) {
        String[] names = method.getAnnotationOfType(Bean.class).value();
        return names.length == 0 ? Stream.of(method.getName()) : Arrays.stream(names);
    }

    @Configuration(proxyBeanMethods = false)
    static class Application {

        @Bean
        MeterRegistry meters() {
            return new SimpleMeterRegistry();
        }

        @Bean
        ObservationRegistry observations() {
            return ObservationRegistry.create();
        }

        @Bean
        RestClient.Builder client() {
            return RestClient.builder();
        }

        @Bean
        DataSource database() {
            JdbcDataSource database = new JdbcDataSource();
            database.setUrl("jdbc:h2:mem:backing-off;DB_CLOSE_DELAY=-1");
            return database;
        }

        @Bean
        ConnectionGroup tenants() {
            return () -> null;
        }

        /** Nobody connects. */
        @Bean
        RedisConnectionFactory redis() {
            return (RedisConnectionFactory) Proxy.newProxyInstance(
                    BackingOffTests.class.getClassLoader(),
                    new Class<?>[] {RedisConnectionFactory.class},
                    (proxy, method, arguments) -> method.getName().equals("hashCode") ? 1 : null);
        }
    }
}
