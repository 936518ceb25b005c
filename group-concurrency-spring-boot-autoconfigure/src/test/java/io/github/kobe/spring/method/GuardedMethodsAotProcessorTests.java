package io.github.kobe.spring.method;

import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.aot.hint.predicate.RuntimeHintsPredicates.reflection;

import io.github.kobe.RejectedTaskException;
import io.github.kobe.spring.annotation.GroupConcurrent;
import io.github.kobe.spring.autoconfigure.GroupConcurrencyAutoConfiguration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.test.generate.TestGenerationContext;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.aot.ApplicationContextAotGenerator;

/** What a native image is told that annotated methods reach by reflection. */
class GuardedMethodsAotProcessorTests {

    @Test
    void theFallbackMethodCanBeCalled() {
        RuntimeHints hints = hintsFor(Fallbacks.class);

        assertThat(invoked(hints, Answers.class, "busy")).isTrue();
        assertThat(invoked(hints, Answers.class, "unrelated")).isFalse();
    }

    @Test
    void whatAnExpressionReadsCanBeRead() {
        RuntimeHints hints = hintsFor(Expressions.class);

        assertThat(invoked(hints, Order.class, "customer")).isTrue();
        assertThat(invoked(hints, Customer.class, "getName")).isTrue();
        assertThat(invoked(hints, Customer.class, "getAge")).isFalse();
        assertThat(hints.reflection().getTypeHint(String.class).methods())
                .extracting(hint -> hint.getName())
                .contains("toLowerCase")
                .doesNotContain("toUpperCase");
        assertThat(hints.reflection().getTypeHint(Customer.class).fields())
                .extracting(hint -> hint.getName())
                .containsExactly("region");
    }

    @Test
    void whatAnArgumentOfAnExpressionsMethodReadsCanBeRead() {
        assertThat(invoked(hintsFor(Arguments.class), Customer.class, "getName"))
                .isTrue();
    }

    @Test
    void whatAnExpressionReadsOfTheBeanItselfCanBeRead() {
        RuntimeHints hints = hintsFor(OfTheBean.class);

        assertThat(invoked(hints, CallRoot.class, "target")).isTrue();
        assertThat(invoked(hints, OfTheBean.class, "getRegion")).isTrue();
    }

    @Test
    void whatTheExpressionOfACostReadsCanBeRead() {
        assertThat(invoked(hintsFor(Cost.class), Customer.class, "getAge")).isTrue();
    }

    @Test
    void whatNoDeclaredTypeTellsIsLeftToTheApplication() {
        assertThat(invoked(hintsFor(Untyped.class), Customer.class, "getName")).isFalse();
    }

    @Test
    void withoutTheAspectNothingIsReached() {
        RuntimeHints hints = hintsFor(Fallbacks.class, "group-concurrency.annotation.enabled=false");

        assertThat(invoked(hints, Answers.class, "busy")).isFalse();
    }

    private static RuntimeHints hintsFor(Class<?> bean, String... settings) {
        TestGenerationContext generation = new TestGenerationContext();
        try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
            TestPropertyValues.of(settings).applyTo(context);
            context.register(
                    GroupConcurrencyAutoConfiguration.class, GroupConcurrentAspectAutoConfiguration.class, bean);
            new ApplicationContextAotGenerator().processAheadOfTime(context, generation);
        }
        return generation.getRuntimeHints();
    }

    private static boolean invoked(RuntimeHints hints, Class<?> type, String method) {
        return reflection().onMethod(type, method).invoke().test(hints);
    }

    record Order(Customer customer) {}

    static class Customer {

        public final String region = "north";
        public final String street = "Long Lane";

        public String getName() {
            return "Ada";
        }

        public int getAge() {
            return 36;
        }
    }

    /** Above the bean's class, since Spring itself lets all methods of a class be called that it makes a proxy for. */
    @SuppressWarnings({"UnusedMethod", "UnusedVariable"}) // found by their names
    static class Answers {

        private String busy(RejectedTaskException rejection) {
            return "busy";
        }

        private void unrelated() {}
    }

    static class Cost {

        @GroupConcurrent(group = "work", cost = "tokens=#order.customer.age")
        public void work(Order order) {}
    }

    static class Fallbacks extends Answers {

        @GroupConcurrent(group = "work", fallbackMethod = "busy")
        public String work() {
            return "worked";
        }
    }

    static class Expressions {

        @GroupConcurrent(group = "#{#order.customer.name.toLowerCase()}:#{#customers[0].region}")
        public void deliver(Order order, Customer[] customers) {}

        @GroupConcurrent(group = "#p0.region")
        public void visit(Customer customer) {}
    }

    static class Arguments {

        @GroupConcurrent(group = "tenant:#{#prefix.concat(#customer.name)}")
        public void visit(String prefix, Customer customer) {}
    }

    static class OfTheBean {

        @GroupConcurrent(group = "region:#{target.region}")
        public void work() {}

        public String getRegion() {
            return "north";
        }
    }

    static class Untyped {

        @GroupConcurrent(group = "#{#customers[0].name}#{#byId['a'].name}")
        public void visit(List<Customer> customers, Map<String, Customer> byId) {}
    }
}
