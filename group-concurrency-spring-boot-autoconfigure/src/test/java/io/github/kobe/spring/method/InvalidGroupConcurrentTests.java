package io.github.kobe.spring.method;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.spring.annotation.GroupConcurrent;
import io.github.kobe.spring.autoconfigure.GroupConcurrencyAutoConfiguration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.ResponseEntity;
import org.springframework.samples.limited.HiddenVisits;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.context.request.async.WebAsyncTask;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;
import reactor.core.publisher.Flux;
import reactor.core.publisher.ParallelFlux;

@ExtendWith(OutputCaptureExtension.class)
class InvalidGroupConcurrentTests {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    GroupConcurrencyAutoConfiguration.class, GroupConcurrentAspectAutoConfiguration.class));

    @Test
    void aMisspeltVariableFailsTheStartUpAndListsThoseKnown(CapturedOutput output) {
        assertThatException()
                .isThrownBy(() -> new SpringApplicationBuilder(Application.class, Misspelt.class)
                        .web(WebApplicationType.NONE)
                        .run()
                        .close());

        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains("@GroupConcurrent on " + Misspelt.class.getName() + ".build(String) has the group"
                        + " \"tenant:#{#tenantid}\", which has the unknown variable #tenantid; known are #root,"
                        + " #tenantId, #p0, #a0")
                .contains("Action:")
                .contains("Correct the group");
    }

    @ParameterizedTest
    @MethodSource("broken")
    void whatCannotWorkFailsTheStartUpAndSaysWhy(Class<?> type, String reason) {
        runner.withBean(type)
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .satisfies(cause -> assertThat(chain(context.getStartupFailure()))
                                .anySatisfy(failure -> assertThat(failure)
                                        .isInstanceOf(InvalidGroupConcurrentException.class)
                                        .hasMessageContaining(type.getName())
                                        .hasMessageContaining(reason))));
    }

    static Stream<Arguments> broken() {
        return Stream.of(
                Arguments.of(OnPrivate.class, "the method is private"),
                Arguments.of(OnStatic.class, "the method is static"),
                Arguments.of(OnFinal.class, "the method is final"),
                Arguments.of(
                        OtherFuture.class,
                        "it returns java.util.concurrent.FutureTask, whose end the limit cannot see"),
                Arguments.of(OtherPublisher.class, "it returns reactor.core.publisher.ParallelFlux, whose end"),
                Arguments.of(ForAThreadOfMvc.class, "it returns java.util.concurrent.Callable, which does its work"),
                Arguments.of(TimedForMvc.class, "WebAsyncTask, which does its work after the method has returned"),
                Arguments.of(Deferring.class, "DeferredResult, which does its work after the method has returned"),
                Arguments.of(Streaming.class, "StreamingResponseBody, which does its work after the method"),
                Arguments.of(Emitting.class, "SseEmitter, which does its work after the method has returned"),
                Arguments.of(StreamingEntity.class, "StreamingResponseBody, which does its work after the method"),
                Arguments.of(ReactiveEntity.class, "it returns a response with reactor.core.publisher.Flux"),
                Arguments.of(FutureEntity.class, "it returns a response with java.util.concurrent.CompletableFuture"),
                Arguments.of(Unparsable.class, "can't be read as an expression"),
                Arguments.of(HalfTemplate.class, "can't be read as an expression"),
                Arguments.of(BareName.class, "has the unknown name 'tenantId', which needs a # before it"),
                Arguments.of(NamesAType.class, "names a type, which is not allowed"),
                Arguments.of(MakesAnObject.class, "makes an object, which is not allowed"),
                Arguments.of(Assigns.class, "assigns a value, which is not allowed"),
                Arguments.of(NamesABean.class, "needs group-concurrency.annotation.bean-references: true"),
                Arguments.of(CallsAFunction.class, "calls the function"),
                Arguments.of(Blank.class, "is blank"),
                Arguments.of(NoGroup.class, "is blank"),
                Arguments.of(Unfilled.class, "whose placeholder can't be resolved"),
                Arguments.of(
                        UnfilledExecutor.class,
                        "has the executor \"${no.such.property}\", whose placeholder can't be resolved"),
                Arguments.of(BadTimeout.class, "has the queueTimeout \"soon\", which is no duration"),
                Arguments.of(NegativeTimeout.class, "has the queueTimeout \"-1s\", which is less than zero"),
                Arguments.of(BareTimeout.class, "has the queueTimeout \"5\", which is without a unit"),
                Arguments.of(NoSuchFallback.class, "has the fallback method 'missing'"),
                Arguments.of(OtherParameters.class, "has the fallback method 'busy'"),
                Arguments.of(OtherReturnType.class, "has the fallback method 'busy'"),
                Arguments.of(OtherReturnTypeOfPartner.class, "has the fallback method 'busy'"),
                Arguments.of(NoSuchExecutor.class, "there is no GroupExecutor bean of that name"));
    }

    @Test
    void aPackagePrivateMethodThatIsInheritedFromAnotherPackageIsRefused() {
        runner.withBean(InheritedFromAnotherPackage.class)
                .run(context -> assertThat(chain(context.getStartupFailure()))
                        .anySatisfy(failure -> assertThat(failure)
                                .isInstanceOf(InvalidGroupConcurrentException.class)
                                .hasMessageContaining(HiddenVisits.class.getName())
                                .hasMessageContaining("the method is package-private in another package")));
    }

    @Test
    void whatATypeVariableStandsForInTheBeansClassIsRefusedAsWell() {
        runner.withBean(DeferringPartner.class)
                .run(context -> assertThat(chain(context.getStartupFailure()))
                        .anySatisfy(failure -> assertThat(failure)
                                .isInstanceOf(InvalidGroupConcurrentException.class)
                                .hasMessageContaining(Partner.class.getName())
                                .hasMessageContaining("DeferredResult, which does its work after the method has")));
    }

    @Test
    void whatAPlaceholderHoldsIsToldWithItsOrigin() {
        runner.withPropertyValues("soon=tomorrow\nforged", "nothing=")
                .withBean(FilledTimeout.class)
                .run(context -> assertThat(chain(context.getStartupFailure()))
                        .anySatisfy(failure -> assertThat(failure)
                                .hasMessageContaining("has the queueTimeout \"${soon}\", filled as \"tomorrow_forged\""
                                        + " from \"soon\" from property source \"test\", which is no duration")));
        runner.withPropertyValues("nothing=")
                .withBean(FilledBlank.class)
                .run(context -> assertThat(chain(context.getStartupFailure()))
                        .anySatisfy(failure -> assertThat(failure)
                                .hasMessageContaining(
                                        "has the group \"${nothing}\", filled as \"\" from \"nothing\" from"
                                                + " property source \"test\", which is blank")));
    }

    @Test
    void theExecutorsThatThereAreAreNamed() {
        runner.withBean(NoSuchExecutor.class)
                .run(context -> assertThat(chain(context.getStartupFailure()))
                        .filteredOn(InvalidGroupConcurrentException.class::isInstance)
                        .singleElement()
                        .satisfies(failure -> assertThat(((InvalidGroupConcurrentException) failure).action())
                                .contains("of which there are: groupExecutor,")));
    }

    @Test
    void thoseOfAParentContextCountAsOnesOwnDo() {
        try (AnnotationConfigApplicationContext parent = new AnnotationConfigApplicationContext()) {
            parent.registerBean("one", GroupExecutor.class, InvalidGroupConcurrentTests::newExecutor);
            parent.registerBean("two", GroupExecutor.class, InvalidGroupConcurrentTests::newExecutor);
            parent.refresh();
            ApplicationContextRunner child = runner.withParent(parent);

            child.withBean(NoExecutor.class)
                    .run(context -> assertThat(chain(context.getStartupFailure()))
                            .anySatisfy(failure -> assertThat(failure)
                                    .hasMessageContaining("names no executor, and there are several: one, two")));
            child.withBean(NoSuchExecutor.class)
                    .run(context -> assertThat(chain(context.getStartupFailure()))
                            .filteredOn(InvalidGroupConcurrentException.class::isInstance)
                            .singleElement()
                            .satisfies(failure -> assertThat(((InvalidGroupConcurrentException) failure).action())
                                    .contains("of which there are: one, two,")));
            child.withBean("own", GroupExecutor.class, InvalidGroupConcurrentTests::newExecutor)
                    .withBean(NoExecutor.class)
                    .run(context -> {
                        context.getBean(NoExecutor.class).work();
                        assertThat(context.getBean("own", GroupExecutor.class).groupKeys())
                                .containsExactly("g");
                    });
        }
    }

    @Test
    void severalExecutorsAndNoneNamedFailTheStartUp() {
        runner.withBean("one", GroupExecutor.class, InvalidGroupConcurrentTests::newExecutor)
                .withBean("two", GroupExecutor.class, InvalidGroupConcurrentTests::newExecutor)
                .withBean(NoExecutor.class)
                .run(context -> assertThat(chain(context.getStartupFailure()))
                        .anySatisfy(failure -> assertThat(failure)
                                .isInstanceOf(InvalidGroupConcurrentException.class)
                                .hasMessageContaining("names no executor, and there are several: one, two")));
    }

    @Test
    void ofSeveralExecutorsThePrimaryOrTheOnlyDefaultCandidateIsMeant() {
        runner.withBean("one", GroupExecutor.class, InvalidGroupConcurrentTests::newExecutor)
                .withBean(
                        "two",
                        GroupExecutor.class,
                        InvalidGroupConcurrentTests::newExecutor,
                        definition -> definition.setPrimary(true))
                .withBean(NoExecutor.class)
                .run(context -> {
                    context.getBean(NoExecutor.class).work();
                    assertThat(context.getBean("two", GroupExecutor.class).groupKeys())
                            .containsExactly("g");
                });
        runner.withBean(
                        "further",
                        GroupExecutor.class,
                        InvalidGroupConcurrentTests::newExecutor,
                        definition -> ((AbstractBeanDefinition) definition).setDefaultCandidate(false))
                .withBean("one", GroupExecutor.class, InvalidGroupConcurrentTests::newExecutor)
                .withBean(NoExecutor.class)
                .run(context -> {
                    context.getBean(NoExecutor.class).work();
                    assertThat(context.getBean("one", GroupExecutor.class).groupKeys())
                            .containsExactly("g");
                });
    }

    private static GroupExecutor newExecutor() {
        return GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder().build());
    }

    @Test
    void aBeanReferenceIsAllowedWhereTheSettingsSaySo() {
        runner.withBean(NamesABean.class)
                .withBean("tenants", String.class, () -> "tenant-bean")
                .withPropertyValues("group-concurrency.annotation.bean-references=true")
                .run(context -> {
                    context.getBean(NamesABean.class).work();
                    assertThat(context.getBean(GroupExecutor.class).groupKeys()).containsExactly("tenant-bean");
                });
    }

    @Test
    void aTypesAnnotationWarnsOnceOfMethodsThatAProxyCannotOverride(CapturedOutput output) {
        runner.withBean(TypeWithFinalMethods.class).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(output.getOut().split("doesn't limit its private, static and final methods"))
                    .hasSize(2);
        });
    }

    private static Stream<Throwable> chain(Throwable failure) {
        return Stream.iterate(failure, cause -> cause != null, Throwable::getCause);
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({GroupConcurrencyAutoConfiguration.class, GroupConcurrentAspectAutoConfiguration.class})
    static class Application {}

    static class NoExecutor {
        @GroupConcurrent(group = "g")
        void work() {}
    }

    static class Misspelt {
        @GroupConcurrent(group = "tenant:#{#tenantid}")
        String build(String tenantId) {
            return tenantId;
        }
    }

    @SuppressWarnings("UnusedMethod") // found by reflection
    static class OnPrivate {
        @GroupConcurrent(group = "g")
        private void work() {}
    }

    static class OnStatic {
        @GroupConcurrent(group = "g")
        static void work() {}
    }

    static class OnFinal {
        @GroupConcurrent(group = "g")
        final void work() {}
    }

    static class InheritedFromAnotherPackage extends HiddenVisits {}

    static class OtherFuture {
        @GroupConcurrent(group = "g")
        FutureTask<String> work() {
            return new FutureTask<>(() -> "");
        }
    }

    static class OtherPublisher {
        @GroupConcurrent(group = "g")
        ParallelFlux<String> work() {
            return Flux.just("").parallel();
        }
    }

    static class ForAThreadOfMvc {
        @GroupConcurrent(group = "g")
        Callable<String> work() {
            return () -> "";
        }
    }

    static class TimedForMvc {
        @GroupConcurrent(group = "g")
        WebAsyncTask<String> work() {
            return new WebAsyncTask<>(() -> "");
        }
    }

    static class Deferring {
        @GroupConcurrent(group = "g")
        DeferredResult<String> work() {
            return new DeferredResult<>();
        }
    }

    abstract static class Partner<R> {
        @GroupConcurrent(group = "g")
        R work() {
            return null;
        }
    }

    static class DeferringPartner extends Partner<DeferredResult<String>> {}

    static class Streaming {
        @GroupConcurrent(group = "g")
        StreamingResponseBody work() {
            return output -> {};
        }
    }

    static class Emitting {
        @GroupConcurrent(group = "g")
        SseEmitter work() {
            return new SseEmitter();
        }
    }

    static class StreamingEntity {
        @GroupConcurrent(group = "g")
        ResponseEntity<StreamingResponseBody> work() {
            return ResponseEntity.ok(output -> {});
        }
    }

    static class ReactiveEntity {
        @GroupConcurrent(group = "g")
        ResponseEntity<Flux<String>> work() {
            return ResponseEntity.ok(Flux.just(""));
        }
    }

    static class FutureEntity {
        @GroupConcurrent(group = "g")
        ResponseEntity<CompletableFuture<String>> work() {
            return ResponseEntity.ok(CompletableFuture.completedFuture(""));
        }
    }

    static class Unparsable {
        @GroupConcurrent(group = "tenant:#tenantId")
        void work(String tenantId) {}
    }

    static class HalfTemplate {
        @GroupConcurrent(group = "tenant:#{#tenantId")
        void work(String tenantId) {}
    }

    static class BareName {
        @GroupConcurrent(group = "tenant:#{tenantId}")
        void work(String tenantId) {}
    }

    static class NamesAType {
        @GroupConcurrent(group = "#{T(java.lang.System).getProperty('user.name')}")
        void work() {}
    }

    static class MakesAnObject {
        @GroupConcurrent(group = "#{new java.lang.String('a')}")
        void work() {}
    }

    static class Assigns {
        @GroupConcurrent(group = "#tenantId = 'a'")
        void work(String tenantId) {}
    }

    static class NamesABean {
        @GroupConcurrent(group = "#{@tenants}")
        void work() {}
    }

    static class CallsAFunction {
        @GroupConcurrent(group = "#lower('A')")
        void work() {}
    }

    static class Blank {
        @GroupConcurrent(group = " ")
        void work() {}
    }

    static class NoGroup {
        @GroupConcurrent
        void work() {}
    }

    static class UnfilledExecutor {
        @GroupConcurrent(group = "g", executor = "${no.such.property}")
        void work() {}
    }

    static class Unfilled {
        @GroupConcurrent(group = "room:${no.such.property}")
        void work() {}
    }

    static class BadTimeout {
        @GroupConcurrent(group = "g", queueTimeout = "soon")
        void work() {}
    }

    static class NegativeTimeout {
        @GroupConcurrent(group = "g", queueTimeout = "-1s")
        void work() {}
    }

    static class BareTimeout {
        @GroupConcurrent(group = "g", queueTimeout = "5")
        void work() {}
    }

    static class FilledTimeout {
        @GroupConcurrent(group = "g", queueTimeout = "${soon}")
        void work() {}
    }

    static class FilledBlank {
        @GroupConcurrent(group = "${nothing}")
        void work() {}
    }

    static class NoSuchFallback {
        @GroupConcurrent(group = "g", fallbackMethod = "missing")
        void work() {}
    }

    static class OtherParameters {
        @GroupConcurrent(group = "g", fallbackMethod = "busy")
        void work(String name) {}

        void busy(int number) {}
    }

    static class OtherReturnType {
        @GroupConcurrent(group = "g", fallbackMethod = "busy")
        String work() {
            return "";
        }

        Integer busy() {
            return 0;
        }
    }

    abstract static class PartnerWithFallback<R> {
        @GroupConcurrent(group = "g", fallbackMethod = "busy")
        R work() {
            return null;
        }

        Integer busy() {
            return 0;
        }
    }

    static class OtherReturnTypeOfPartner extends PartnerWithFallback<String> {}

    static class NoSuchExecutor {
        @GroupConcurrent(group = "g", executor = "missing")
        void work() {}
    }

    @GroupConcurrent(group = "g")
    static class TypeWithFinalMethods {
        void work() {}

        final void first() {}

        static void second() {}
    }
}
