package io.github.kobe.spring.test;

import static io.github.kobe.spring.test.GroupAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.scope.Scopes;
import io.github.kobe.spring.annotation.GroupConcurrent;
import io.github.kobe.spring.autoconfigure.GroupConcurrencyRefresher;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.TestPropertySource;
import org.springframework.test.context.junit.jupiter.SpringJUnitConfig;

/** A test whose context has no auto-configuration but the annotation's. */
@SpringJUnitConfig(AutoConfigureGroupConcurrencyTests.Application.class)
@AutoConfigureGroupConcurrency
@TestPropertySource(
        properties = {
            "group-concurrency.groups.limited.max-concurrency=3",
            "group-concurrency.groups.shared.cluster-max-in-flight=2",
            "group-concurrency.cluster.on-store-loss=closed"
        })
class AutoConfigureGroupConcurrencyTests {

    @Autowired
    private GroupExecutor executor;

    @Autowired
    private Service service;

    @Autowired
    private ApplicationContext context;

    @Test
    void annotatedMethodsAreLimitedAsTheSettingsSay() {
        assertThat(service.run()).isEqualTo("ran");
        assertThat(executor).group("limited").hasMaxConcurrency(3).hasSucceeded(1);
    }

    @Test
    void aServiceWithAnInterfaceIsFoundByItsClassToo() {
        assertThat(context.getBean(Exports.class).run()).isEqualTo("exported");
        assertThat(executor).group("exports").hasSucceeded(1);
    }

    @Test
    void codeThatRefreshesTheSettingsFindsItsBean() {
        assertThat(context.getBean(GroupConcurrencyRefresher.class)).isNotNull();
    }

    @Test
    void codeThatOpensScopesFindsItsBean() throws Exception {
        try (var scope = context.getBean(Scopes.class).open()) {
            scope.fork("of-a-scope", () -> "ran");
            scope.join();
        }
        assertThat(executor).group("of-a-scope").hasSucceeded(1);
    }

    @Test
    void limitsOverAllInstancesNeedNoStoreOfTheApplication() throws Exception {
        assertThat(executor.call("shared", () -> "ran")).isEqualTo("ran");

        assertThat(executor.groupStats("shared").orElseThrow().cluster()).isPresent();
    }

    @Test
    void whatIsImportedIsAutoConfiguration() {
        ClassLoader loader = getClass().getClassLoader();
        assertThat(ImportCandidates.load(AutoConfigureGroupConcurrency.class, loader))
                .contains(InMemoryStoreAutoConfiguration.class.getName())
                .filteredOn(name -> !name.equals(InMemoryStoreAutoConfiguration.class.getName()))
                .isNotEmpty()
                .isSubsetOf(ImportCandidates.load(AutoConfiguration.class, loader));
    }

    @Configuration(proxyBeanMethods = false)
    @Import({Service.class, Exports.class})
    static class Application {}

    static class Service {

        @GroupConcurrent(group = "limited")
        String run() {
            return "ran";
        }
    }

    interface Job {

        String run();
    }

    static class Exports implements Job {

        @Override
        @GroupConcurrent(group = "exports")
        public String run() {
            return "exported";
        }
    }
}
