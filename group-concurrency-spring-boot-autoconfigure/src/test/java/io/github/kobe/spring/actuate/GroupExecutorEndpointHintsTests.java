package io.github.kobe.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.spring.internal.endpoint.EndpointProblem;
import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.annotation.ReflectiveRuntimeHintsRegistrar;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;

class GroupExecutorEndpointHintsTests {

    @Test
    void everyTypeOfAnAnswerCanBeSerialisedInANativeImage() {
        assertHinted(
                GroupExecutorEndpointAutoConfiguration.class,
                GroupExecutorReport.class,
                GroupExecutorReport.Global.class,
                GroupReport.class,
                GroupReport.Limits.class,
                GroupReport.Limit.class,
                GroupReport.RateUse.class,
                GroupReport.Totals.class,
                GroupReport.Holder.class,
                GroupReport.Waiter.class,
                GroupReport.Explanation.class,
                GroupReport.Match.class,
                EndpointProblem.class);
    }

    @Test
    void everyTypeOfAnAnswerAboutScopesCanBeToo() {
        assertHinted(
                GroupScopesEndpointAutoConfiguration.class,
                GroupScopesReport.class,
                GroupScopesReport.Scope.class,
                GroupScopesReport.Owner.class,
                GroupScopesReport.Fork.class,
                GroupScopesReport.Totals.class,
                GroupReport.Holder.class,
                EndpointProblem.class);
    }

    private static void assertHinted(Class<?> configuration, Class<?>... types) {
        RuntimeHints hints = new RuntimeHints();
        new ReflectiveRuntimeHintsRegistrar().registerRuntimeHints(hints, configuration);

        assertThat(types)
                .allSatisfy(type -> assertThat(RuntimeHintsPredicates.reflection()
                                .onType(type)
                                .withMemberCategory(MemberCategory.INVOKE_DECLARED_CONSTRUCTORS))
                        .accepts(hints));
    }
}
