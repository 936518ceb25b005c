package io.github.kobe.spring.method;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.github.kobe.GroupExecutor;
import io.github.kobe.RateStats;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.RejectionReason;
import io.github.kobe.spring.annotation.GroupConcurrent;
import io.github.kobe.spring.autoconfigure.GroupConcurrencyAutoConfiguration;
import io.github.kobe.testing.Deadline;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.math.BigInteger;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.annotation.AliasFor;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

/** What calls of annotated methods cost of the rates of their groups. */
@Tag("RA6")
class CostsOfCallsTests {

    /** Nothing of it comes back while a test runs: an interval is more than half a day. */
    private static final String TOKENS = "tokens 100 per 31d burst 60 default-cost 7";

    private static final String REQUESTS = "100 per 31d burst 60";

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    GroupConcurrencyAutoConfiguration.class, GroupConcurrentAspectAutoConfiguration.class))
            .withPropertyValues(
                    "group-concurrency.groups[llm*].rates[0]=" + REQUESTS,
                    "group-concurrency.groups[llm*].rates[1]=" + TOKENS,
                    "estimate=11");

    @Test
    void eachCallCostsWhatTheExpressionGivesForItsArguments() {
        runner.withBean(Model.class).run(context -> {
            Model model = context.getBean(Model.class);
            GroupExecutor executor = context.getBean(GroupExecutor.class);

            assertThat(model.ask("a", "x".repeat(41))).isEqualTo("answer");
            assertThat(used(executor, "llm:a")).containsExactly(1, 10);
            model.ask("a", "x".repeat(8));
            assertThat(used(executor, "llm:a")).containsExactly(2, 12);
            model.ask("a", "");
            assertThat(used(executor, "llm:a")).containsExactly(3, 12);
        });
    }

    @Test
    void aCostIsANumberAPlaceholderATemplateOrAnExpressionForEachOfSeveralRates() {
        runner.withBean(Forms.class).run(context -> {
            Forms forms = context.getBean(Forms.class);
            GroupExecutor executor = context.getBean(GroupExecutor.class);

            forms.unsaid();
            assertThat(used(executor, "llm:unsaid")).containsExactly(1, 7);
            forms.number();
            assertThat(used(executor, "llm:number")).containsExactly(2, 5);
            forms.placeholder();
            assertThat(used(executor, "llm:placeholder")).containsExactly(1, 11);
            forms.template(List.of("a", "b"));
            assertThat(used(executor, "llm:template")).containsExactly(0, 2);
            forms.root("abc");
            assertThat(used(executor, "llm:root")).containsExactly(1, 3);
            forms.composed("abcd");
            assertThat(used(executor, "llm:composed")).containsExactly(1, 4);
            forms.unknown();
            assertThat(used(executor, "llm:unknown")).containsExactly(1, 7);
            forms.any(new BigInteger("9"));
            forms.any((short) 1);
            forms.any((byte) 2);
            forms.any(3L);
            assertThat(used(executor, "llm:any")).containsExactly(4, 15);
        });
    }

    @Test
    @Tag("RA7")
    void theMethodSaysWhatItHasReallyUsed() throws Exception {
        runner.withBean(Model.class).run(context -> {
            Model model = context.getBean(Model.class);
            GroupExecutor executor = context.getBean(GroupExecutor.class);
            Callable<String> settling = () -> {
                executor.settle("tokens", 3);
                return "used 3";
            };

            assertThat(model.asked(settling, 10)).isEqualTo("used 3");
            assertThat(used(executor, "llm:here")).containsExactly(1, 3);
            assertThat(model.later(settling, 10).get(Deadline.SECONDS, TimeUnit.SECONDS))
                    .isEqualTo("used 3");
            assertThat(executor.awaitQuiet(Deadline.LONG)).isTrue();
            assertThat(used(executor, "llm:later")).containsExactly(1, 3);
            StepVerifier.create(model.mono(settling, 10))
                    .expectNext("used 3")
                    .expectComplete()
                    .verify(Deadline.LONG);
            assertThat(used(executor, "llm:mono")).containsExactly(1, 3);
        });
    }

    @Test
    void aMethodThatReturnsAFutureCostsTheSame() {
        runner.withBean(Model.class).run(context -> {
            GroupExecutor executor = context.getBean(GroupExecutor.class);

            assertThat(context.getBean(Model.class).later(() -> "done", 13).get(Deadline.SECONDS, TimeUnit.SECONDS))
                    .isEqualTo("done");

            assertThat(used(executor, "llm:later")).containsExactly(1, 13);
        });
    }

    @Test
    void aCallThatSharesThePermitOfAnotherCostsTheSame() {
        runner.withBean(Model.class).run(context -> {
            Model model = context.getBean(Model.class);
            GroupExecutor executor = context.getBean(GroupExecutor.class);

            String answer =
                    executor.call("outer", () -> model.mono(() -> "done", 13).block(Deadline.LONG));
            assertThat(answer).isEqualTo("done");
            assertThat(used(executor, "llm:mono")).containsExactly(1, 13);
            StepVerifier.create(model.mono(() -> "outer", 1)
                            .flatMap(outer -> Mono.fromCallable(() -> model.later(() -> "inner", 11))
                                    .flatMap(Mono::fromFuture)))
                    .expectNext("inner")
                    .expectComplete()
                    .verify(Deadline.LONG);
            assertThat(used(executor, "llm:later")).containsExactly(1, 11);
        });
    }

    @Test
    void eachSubscriptionOfAMonoOrAFluxCostsTheSame() {
        runner.withBean(Model.class).run(context -> {
            Model model = context.getBean(Model.class);
            GroupExecutor executor = context.getBean(GroupExecutor.class);

            Mono<String> mono = model.mono(() -> "done", 13);
            assertThat(executor.groupStats("llm:mono")).isEmpty();
            for (int subscription = 1; subscription < 3; subscription++) {
                StepVerifier.create(mono).expectNext("done").expectComplete().verify(Deadline.LONG);
                assertThat(used(executor, "llm:mono")).containsExactly(subscription, 13 * subscription);
            }
            StepVerifier.create(model.flux(17))
                    .expectNext(1, 2, 3)
                    .expectComplete()
                    .verify(Deadline.LONG);
            assertThat(used(executor, "llm:flux")).containsExactly(1, 17);
        });
    }

    @Test
    void whatCostsMoreThanALimitIsRejectedInEachStyle() {
        runner.withBean(Model.class).run(context -> {
            Model model = context.getBean(Model.class);

            assertThatExceptionOfType(RejectedTaskException.class)
                    .isThrownBy(() -> model.asked(() -> "never", 101))
                    .satisfies(rejection -> {
                        assertThat(rejection.reason()).isEqualTo(RejectionReason.RATE_LIMITED);
                        assertThat(rejection.retryAfter()).isEmpty();
                    });
            assertThat(model.later(() -> "never", 101))
                    .failsWithin(Deadline.LONG)
                    .withThrowableThat()
                    .withCauseInstanceOf(RejectedTaskException.class);
            StepVerifier.create(model.mono(() -> "never", 101))
                    .expectError(RejectedTaskException.class)
                    .verify(Deadline.LONG);
        });
    }

    @Test
    void aCallInsideItsGroupCostsNothing() {
        runner.withBean(Model.class).run(context -> {
            GroupExecutor executor = context.getBean(GroupExecutor.class);

            executor.call("llm:here", () -> context.getBean(Model.class).asked(() -> "done", 30));

            assertThat(used(executor, "llm:here")).containsExactly(1, 7);
        });
    }

    @Test
    void aTypesCostsHoldForEachOfItsMethodsAndAMethodsAnnotationReplacesThem() {
        runner.withBean(OfType.class).run(context -> {
            OfType model = context.getBean(OfType.class);
            GroupExecutor executor = context.getBean(GroupExecutor.class);

            model.one("abc");
            model.two("abcd", 5);
            assertThat(used(executor, "llm:type")).containsExactly(2, 7);
            model.own("abcde");
            assertThat(used(executor, "llm:type")).containsExactly(3, 14);
        });
    }

    @ParameterizedTest
    @MethodSource("notWhole")
    void whatIsNoWholeNumberFailsTheCallAndTellsWhere(@Nullable Object value, String told) {
        runner.withBean(Forms.class).run(context -> {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> context.getBean(Forms.class).any(value))
                    .withMessage("The cost of " + Forms.class.getName() + ".any(Object): '#cost' is " + told);
            assertThat(context.getBean(GroupExecutor.class).groupStats("llm:any"))
                    .isEmpty();
        });
    }

    static Stream<Arguments> notWhole() {
        String allowed = ", and not a whole number from 0 to 1000000000";
        return Stream.of(
                Arguments.of(null, "null"),
                Arguments.of(-1, "-1, of the type java.lang.Integer" + allowed),
                Arguments.of(1_000_000_001L, "1000000001, of the type java.lang.Long" + allowed),
                Arguments.of(2.0, "2.0, of the type java.lang.Double" + allowed),
                Arguments.of("5\n6", "5_6, of the type java.lang.String" + allowed),
                Arguments.of(
                        BigInteger.TWO.pow(64),
                        BigInteger.TWO.pow(64) + ", of the type java.math.BigInteger" + allowed));
    }

    @Test
    void whatCannotBeEvaluatedFailsTheCallAndTellsWhere() {
        runner.withBean(Model.class)
                .run(context -> assertThatIllegalArgumentException()
                        .isThrownBy(() -> context.getBean(Model.class).ask("a", null))
                        .withMessageStartingWith("The cost of " + Model.class.getName()
                                + ".ask(String, String): '#prompt.length() / 4' can't be evaluated: "));
    }

    @ParameterizedTest
    @MethodSource("broken")
    void aCostThatCannotBeReadFailsTheStartUpAndSaysWhy(Class<?> type, String reason) {
        runner.withPropertyValues("forged=many\nmore")
                .withBean(type)
                .run(context -> assertThat(Stream.iterate(
                                context.getStartupFailure(), failure -> failure != null, Throwable::getCause))
                        .anySatisfy(failure -> assertThat(failure)
                                .isInstanceOf(InvalidGroupConcurrentException.class)
                                .hasMessageContaining(type.getName())
                                .hasMessageContaining("has the cost \"" + reason)));
    }

    static Stream<Arguments> broken() {
        String allowed = ", which is not a whole number from 0 to 1000000000";
        return Stream.of(
                Arguments.of(WithoutRate.class, "#prompt.length()\", which names no rate before a ="),
                Arguments.of(BadRate.class, "a b=1\", which names no rate before a ="),
                Arguments.of(RateTwice.class, "tokens=2\", which names the rate tokens for the second time"),
                Arguments.of(Unparsable.class, "#prompt.(\", which can't be read as an expression"),
                Arguments.of(UnknownVariable.class, "tokens=#promt.length()\", which has the unknown variable #promt"),
                Arguments.of(Word.class, "tokens=many\"" + allowed),
                Arguments.of(Nothing.class, "tokens=\"" + allowed),
                Arguments.of(Negative.class, "tokens=-1\"" + allowed),
                Arguments.of(TooMuch.class, "tokens=1000000001\"" + allowed),
                Arguments.of(Several.class, "tokens=1#{#prompt}\", which is more than one number or expression"),
                Arguments.of(NamesAType.class, "tokens=#prompt.length() * T(Math).PI\", which names a type"),
                Arguments.of(
                        Filled.class,
                        "tokens=${forged}\", filled as \"tokens=many_more\" from \"forged\" from property source"
                                + " \"test\"" + allowed));
    }

    private static List<Integer> used(GroupExecutor executor, String key) {
        return executor.groupStats(key).orElseThrow().rateStats().stream()
                .map(RateStats::used)
                .toList();
    }

    static class Model {

        @GroupConcurrent(group = "llm:#{#tenant}", cost = "tokens=#prompt.length() / 4")
        public String ask(String tenant, @Nullable String prompt) {
            return "answer";
        }

        @GroupConcurrent(group = "llm:here", cost = "tokens=#cost")
        public String asked(Callable<String> work, int cost) throws Exception {
            return work.call();
        }

        @GroupConcurrent(group = "llm:later", cost = "tokens=#cost")
        public CompletableFuture<String> later(Callable<String> work, int cost) throws Exception {
            return CompletableFuture.completedFuture(work.call());
        }

        @GroupConcurrent(group = "llm:mono", cost = "tokens=#cost")
        public Mono<String> mono(Callable<String> work, int cost) {
            return Mono.fromCallable(work);
        }

        @GroupConcurrent(group = "llm:flux", cost = "tokens=#cost")
        public Flux<Integer> flux(int cost) {
            return Flux.range(1, 3);
        }
    }

    static class Forms {

        @GroupConcurrent("llm:unsaid")
        public void unsaid() {}

        @GroupConcurrent(
                group = "llm:number",
                cost = {"requests=2", " tokens = 5 "})
        public void number() {}

        @GroupConcurrent(group = "llm:placeholder", cost = "tokens=${estimate}")
        public void placeholder() {}

        @GroupConcurrent(
                group = "llm:template",
                cost = {"tokens=#{#texts.size()}", "requests=0"})
        public void template(List<String> texts) {}

        @GroupConcurrent(group = "llm:root", cost = "tokens=#{args[0].length()}")
        public void root(String text) {}

        @Asking(tokens = "tokens=#text.length()")
        public void composed(String text) {}

        @GroupConcurrent(group = "llm:unknown", cost = "images=3")
        public void unknown() {}

        @GroupConcurrent(group = "llm:any", cost = "tokens=#cost")
        public void any(@Nullable Object cost) {}
    }

    @Target(ElementType.METHOD)
    @Retention(RetentionPolicy.RUNTIME)
    @GroupConcurrent("llm:composed")
    @interface Asking {

        @AliasFor(annotation = GroupConcurrent.class, attribute = "cost")
        String[] tokens();
    }

    @GroupConcurrent(group = "llm:type", cost = "tokens=#prompt.length()")
    static class OfType {

        public void one(String prompt) {}

        public void two(String prompt, int other) {}

        @GroupConcurrent("llm:type")
        public void own(String prompt) {}
    }

    static class WithoutRate {
        @GroupConcurrent(group = "a", cost = "#prompt.length()")
        void work(String prompt) {}
    }

    static class BadRate {
        @GroupConcurrent(group = "a", cost = "a b=1")
        void work(String prompt) {}
    }

    static class RateTwice {
        @GroupConcurrent(
                group = "a",
                cost = {"tokens=1", "tokens=2"})
        void work(String prompt) {}
    }

    static class Unparsable {
        @GroupConcurrent(group = "a", cost = "tokens=#prompt.(")
        void work(String prompt) {}
    }

    static class UnknownVariable {
        @GroupConcurrent(group = "a", cost = "tokens=#promt.length()")
        void work(String prompt) {}
    }

    static class Word {
        @GroupConcurrent(group = "a", cost = "tokens=many")
        void work(String prompt) {}
    }

    static class Nothing {
        @GroupConcurrent(group = "a", cost = "tokens=")
        void work(String prompt) {}
    }

    static class Negative {
        @GroupConcurrent(group = "a", cost = "tokens=-1")
        void work(String prompt) {}
    }

    static class TooMuch {
        @GroupConcurrent(group = "a", cost = "tokens=1000000001")
        void work(String prompt) {}
    }

    static class Several {
        @GroupConcurrent(group = "a", cost = "tokens=1#{#prompt}")
        void work(String prompt) {}
    }

    static class NamesAType {
        @GroupConcurrent(group = "a", cost = "tokens=#prompt.length() * T(Math).PI")
        void work(String prompt) {}
    }

    static class Filled {
        @GroupConcurrent(group = "a", cost = "tokens=${forged}")
        void work(String prompt) {}
    }
}
