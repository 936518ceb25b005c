package io.github.kobe.spring.method;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.github.kobe.GroupExecutor;
import io.github.kobe.spring.annotation.GroupConcurrent;
import io.github.kobe.spring.autoconfigure.GroupConcurrencyAutoConfiguration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.core.PriorityOrdered;
import org.springframework.samples.limited.Visits;

/** What is annotated is limited, or the application is told. */
@ExtendWith(OutputCaptureExtension.class)
class NothingUnlimitedTests {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    GroupConcurrencyAutoConfiguration.class, GroupConcurrentAspectAutoConfiguration.class));

    @Test
    void anApplicationInAPackageOfSpringsIsLimitedToo() {
        runner.withBean(Visits.class).run(context -> {
            context.getBean(Visits.class).visit();

            assertThat(context.getBean(GroupExecutor.class).groupKeys()).containsExactly("visits");
        });
    }

    @Test
    void aBeanThatAPostProcessorHasMadeTooEarlyIsNamed(CapturedOutput output) {
        runner.withUserConfiguration(EarlyConfiguration.class).run(context -> {
            assertThat(AopUtils.isAopProxy(context.getBean(Reports.class))).isFalse();
            assertThat(linesOf(output))
                    .singleElement()
                    .asString()
                    .contains("@GroupConcurrent on " + Reports.class.getName() + ".build(String) doesn't limit the bean"
                            + " 'reports': it has no proxy, because it was created before");
        });
    }

    @Test
    void aBeanThatAPostProcessorHasReplacedIsNamed(CapturedOutput output) {
        runner.withUserConfiguration(ReplacingConfiguration.class)
                .run(context -> assertThat(linesOf(output))
                        .singleElement()
                        .asString()
                        .contains(Jobs.class.getName()
                                + ".call() doesn't limit the bean 'jobs': a BeanPostProcessor has put a "
                                + NothingUnlimitedTests.class.getName())
                        .contains(" in its place"));
    }

    @Test
    void anObjectThatWasRegisteredAsItIsIsNamed(CapturedOutput output) {
        runner.withInitializer(context -> context.getBeanFactory().registerSingleton("reports", new Reports()))
                .run(context -> assertThat(linesOf(output))
                        .singleElement()
                        .asString()
                        .contains("'reports': it was registered as a finished object"));
    }

    @Test
    void whatIsLimitedOrIsInfrastructureIsNotNamed(CapturedOutput output) {
        runner.withBean("reports", Reports.class)
                .withBean("product", ReportsFactory.class)
                .withBean("lazy", Reports.class, Reports::new, definition -> definition.setLazyInit(true))
                .withBean("prototype", Reports.class, Reports::new, definition -> definition.setScope("prototype"))
                .withUserConfiguration(InfrastructureConfiguration.class)
                .run(context -> {
                    assertThat(AopUtils.isAopProxy(context.getBean("product"))).isTrue();
                    assertThat(linesOf(output)).isEmpty();
                });
    }

    private static List<String> linesOf(CapturedOutput output) {
        return output.getOut()
                .lines()
                .filter(line -> line.contains("doesn't limit the bean"))
                .toList();
    }

    @Test
    void aFinalClassFailsTheStartUpAndIsToldWhy() {
        for (Class<?> closed : List.of(FinalReports.class, ReportsRecord.class, SealedReports.class)) {
            runner.withBean(closed)
                    .run(context -> assertThat(causesOf(context.getStartupFailure()))
                            .anySatisfy(failure -> assertThat(failure)
                                    .isInstanceOf(InvalidGroupConcurrentException.class)
                                    .hasMessageContaining("@GroupConcurrent on " + closed.getName())
                                    .hasMessageContaining(closed == SealedReports.class ? "is sealed" : "is final")));
        }
    }

    @Test
    void aFinalClassBehindAnInterfaceIsLimitedIfProxiesAreMadeOfInterfaces() {
        runner.withBean(FinalJobs.class).run(context -> {
            assertThat(context.getBean(Callable.class).call()).isEqualTo("called");
            assertThat(context.getBean(GroupExecutor.class).groupKeys()).containsExactly("jobs");
        });
        runner.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class))
                .withBean(FinalJobs.class)
                .run(context -> assertThat(causesOf(context.getStartupFailure()))
                        .anySatisfy(failure ->
                                assertThat(failure).hasMessageContaining("is final, and a proxy has to extend it")));
    }

    @ParameterizedTest
    @MethodSource("keysWithoutText")
    void aParameterWithoutATextOfItsOwnFailsTheStartUp(Class<?> type, String named) {
        runner.withBean(type)
                .run(context -> assertThat(causesOf(context.getStartupFailure()))
                        .anySatisfy(failure -> assertThat(failure)
                                .isInstanceOf(InvalidGroupConcurrentException.class)
                                .hasMessageContaining(named)
                                .hasMessageContaining("which doesn't override toString")));
    }

    static Stream<Arguments> keysWithoutText() {
        return Stream.of(
                Arguments.of(ByArray.class, "#ids is of the type java.lang.String[]"),
                Arguments.of(ByVarargs.class, "#p0 is of the type int[]"),
                Arguments.of(ByObject.class, "#tenant is of the type " + Untold.class.getTypeName()));
    }

    @Test
    void aValueWithoutATextOfItsOwnIsRefusedAtTheCall() {
        runner.withBean(ByAny.class).run(context -> {
            ByAny keyed = context.getBean(ByAny.class);
            Object[] refused = {new String[] {"a"}, new long[1], new Untold(), new Object()};
            for (Object key : refused) {
                assertThatIllegalArgumentException()
                        .isThrownBy(() -> keyed.argument(key))
                        .withMessageContaining(
                                "'#key' is of the type " + key.getClass().getTypeName() + ", which doesn't override");
                assertThatIllegalArgumentException().isThrownBy(() -> keyed.expression(List.of(key)));
            }
            assertThat(context.getBean(GroupExecutor.class).groupKeys()).isEmpty();

            Object[] taken = {7, UUID.fromString("0-0-0-0-1"), Kind.GOLD, new Told("a"), List.of("a"), "a@b"};
            Arrays.stream(taken).forEach(keyed::argument);
            assertThat(context.getBean(GroupExecutor.class).groupKeys())
                    .containsExactlyInAnyOrder(
                            "7", "00000000-0000-0000-0000-000000000001", "GOLD", "Told[id=a]", "[a]", "a@b");
        });
    }

    @Test
    void anOptionalIsNoKey() {
        for (Class<?> type : List.of(ByOptional.class, ByOptionalNumber.class)) {
            runner.withBean(type)
                    .run(context -> assertThat(causesOf(context.getStartupFailure()))
                            .anySatisfy(failure -> assertThat(failure)
                                    .isInstanceOfSatisfying(
                                            InvalidGroupConcurrentException.class,
                                            invalid -> assertThat(invalid.action())
                                                    .isEqualTo("Write #q.orElse(...), with the group of those that are"
                                                            + " empty."))
                                    .hasMessageContaining("where #q is of the type java.util.Optional")));
        }
        runner.withBean(ByAny.class).run(context -> {
            ByAny keyed = context.getBean(ByAny.class);
            for (Object key : new Object[] {Optional.empty(), Optional.of("a"), OptionalInt.of(1)}) {
                assertThatIllegalArgumentException()
                        .isThrownBy(() -> keyed.argument(key))
                        .withMessageContaining("'#key' is of the type java.util.Optional");
            }
            assertThat(context.getBean(GroupExecutor.class).groupKeys()).isEmpty();
        });
        runner.withBean(ByItsValue.class).run(context -> {
            context.getBean(ByItsValue.class).work(Optional.of("a"));
            context.getBean(ByItsValue.class).work(Optional.empty());
            assertThat(context.getBean(GroupExecutor.class).groupKeys()).containsExactlyInAnyOrder("a", "none");
        });
    }

    private static Stream<Throwable> causesOf(Throwable failure) {
        return Stream.iterate(failure, cause -> cause != null, Throwable::getCause);
    }

    static class Reports {
        @GroupConcurrent(group = "tenant:#{#tenantId}")
        String build(String tenantId) {
            return tenantId;
        }
    }

    static class ReportsFactory implements FactoryBean<Reports> {
        @Override
        public Reports getObject() {
            return new Reports();
        }

        @Override
        public Class<?> getObjectType() {
            return Reports.class;
        }
    }

    static class Jobs implements Callable<String> {
        @Override
        @GroupConcurrent(group = "jobs")
        public String call() {
            return "called";
        }
    }

    static final class FinalJobs extends Jobs {}

    static final class FinalReports {
        @GroupConcurrent(group = "reports")
        void build() {}
    }

    record ReportsRecord(String name) {
        ReportsRecord() {
            this("reports");
        }

        @GroupConcurrent(group = "reports")
        void build() {}
    }

    static sealed class SealedReports {
        @GroupConcurrent(group = "reports")
        void build() {}

        static final class Only extends SealedReports {}
    }

    /** Made before Spring's own makers of proxies, and with it what it needs. */
    static class Early implements BeanPostProcessor, PriorityOrdered {

        final Object needed;

        Early(Object needed) {
            this.needed = needed;
        }

        @Override
        public int getOrder() {
            return 0;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class EarlyConfiguration {
        @Bean
        static Early early(Reports reports) {
            return new Early(reports);
        }

        @Bean
        static Reports reports() {
            return new Reports();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class InfrastructureConfiguration {
        @Bean
        static Early early(Visits visits) {
            return new Early(visits);
        }

        @Bean
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        static Visits visits() {
            return new Visits();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class ReplacingConfiguration {
        @Bean
        static BeanPostProcessor replacing() {
            return new BeanPostProcessor() {
                @Override
                public Object postProcessBeforeInitialization(Object bean, String name) {
                    return bean instanceof Jobs ? (Callable<String>) () -> "other" : bean;
                }
            };
        }

        @Bean
        Jobs jobs() {
            return new Jobs();
        }
    }

    static class ByArray {
        @GroupConcurrent(group = "#ids")
        void work(String[] ids) {}
    }

    static class ByOptional {
        @GroupConcurrent(group = "#q")
        void work(Optional<String> q) {}
    }

    static class ByOptionalNumber {
        @GroupConcurrent(group = "tenant:#{#q}")
        void work(OptionalInt q) {}
    }

    static class ByItsValue {
        @GroupConcurrent(group = "#q.orElse('none')")
        void work(Optional<String> q) {}
    }

    static class ByVarargs {
        @GroupConcurrent(group = "ids:#{#p0}")
        void work(int... ids) {}
    }

    static class ByObject {
        @GroupConcurrent(group = "tenant:#{#tenant}")
        void work(Untold tenant) {}
    }

    static class Untold {}

    record Told(String id) {}

    enum Kind {
        GOLD
    }

    static class ByAny {
        @GroupConcurrent(group = "#key")
        void argument(Object key) {}

        @GroupConcurrent(group = "#keys[0]")
        void expression(List<?> keys) {}
    }
}
