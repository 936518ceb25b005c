package io.github.kobe.spring.web;

import static io.github.kobe.spring.testing.Refusals.refusalOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.spring.InvalidSettingException;
import io.github.kobe.spring.autoconfigure.GroupConcurrencyAutoConfiguration;
import io.github.kobe.spring.internal.settings.BoundSettings;
import io.github.kobe.spring.internal.settings.GroupConcurrencyProperties;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.assertj.AssertableWebApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import reactor.core.publisher.Mono;

@ExtendWith(OutputCaptureExtension.class)
class FilterSettingsTests {

    private static final String PREFIX = "group-concurrency.web.filter.";

    private final WebApplicationContextRunner runner = new WebApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    GroupConcurrencyAutoConfiguration.class, GroupConcurrencyWebAutoConfiguration.class))
            .withPropertyValues(PREFIX + "enabled=true");

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        order=1                                                        | enabled                    | true       | at least one rule
        rules[0].name=X-A                                              | rules[0].key-source        |            | header, principal or path
        rules[0].key-source=header                                     | rules[0].name              |            | a header such as X-Tenant-Id
        rules[0].key-source=principal rules[0].name=X-A                | rules[0].name              | X-A        | none for a principal
        rules[0].key-source=path rules[0].name=a                       | rules[0].name              | a          | /tenants/{tenant}/**
        rules[0].key-source=path rules[0].name=a rules[0].paths=/{b}   | rules[0].name              | a          | /tenants/{tenant}/**
        rules[0].key-source=path rules[0].name=a rules[0].paths=/{a    | rules[0].paths             | /{a        | a path pattern such as /api/**
        rules[0].key-source=principal rules[0].paths=/a,/{a            | rules[0].paths             | /a,/{a     | a path pattern such as /api/**
        rules[0].key-source=principal rules[0].paths[0]=/{a            | rules[0].paths[0]          | /{a        | a path pattern such as /api/**
        rules[0].key-source=principal rules[0].paths=api/**             | rules[0].paths             | api/**     | a path pattern such as /api/**
        rules[0].key-source=principal rules[0].paths=                  | rules[0].paths             |            | a path pattern such as /api/**
        rules[0].key-source=principal rules[0].missing-key=            | rules[0].missing-key       |            | reject, pass, or the key of a group
        rules[0].key-source=principal rules[0].limit=false             | rules[0].key-source        | principal  | none beside limit: false
        rules[0].key-source=principal rules[0].missing-key=group       | rules[0].missing-key       | group      | reject, pass, or the key of a group
        rules[0].key-source=principal rules[0].missing-key=rejected    | rules[0].missing-key       | rejected   | reject, pass, or the key of a group
        rules[0].key-source=principal rules[0].missing-key=Passes      | rules[0].missing-key       | Passes     | reject, pass, or the key of a group
        rules[0].limit=false rules[0].max-keys=5                       | rules[0].max-keys          | 5          | none beside limit: false
        rules[0].limit=false rules[0].queue-timeout=5s                 | rules[0].queue-timeout     | 5s         | none beside limit: false
        rules[0].limit=false rules[0].deadline-header=X-A              | rules[0].deadline-header   | X-A        | none beside limit: false
        rules[0].limit=false rules[0].hold=until-first-byte            | rules[0].hold              | until-first-byte | none beside limit: false
        rules[0].key-source=principal rules[0].matches-principal=true  | rules[0].matches-principal | true       | true beside one of those
        rules[0].key-source=principal rules[0].methods=FETCH           | rules[0].methods           | FETCH      | one or more of GET
        rules[0].key-source=principal rules[0].max-keys=0              | rules[0].max-keys          | 0          | at least 1
        rules[0].key-source=principal rules[0].max-keys=5 rules[0].newcomers=shared       | rules[0].max-keys  | 5      | none beside newcomers: shared
        rules[0].key-source=principal rules[0].max-keys=5 rules[0].known-keys-only=true   | rules[0].max-keys  | 5      | none beside known-keys-only
        rules[0].key-source=principal rules[0].newcomers=shared rules[0].known-keys-only=true | rules[0].newcomers | shared | none beside known-keys-only
        rules[0].key-source=principal rules[0].queue-timeout=0s        | rules[0].queue-timeout     | 0s         | more than zero
        rules[0].key-source=principal rules[0].executor=nobody         | rules[0].executor          | nobody     | one of groupExecutor
        rules[0].key-source=principal rules[1].key-source=principal rules[1].paths=/a | rules[1].paths | /a      | this rule before that one
        """)
    void whatCannotBeReadFailsTheStartUpWithWhatIsAllowed(
            String settings, String property, String value, String allowed) {
        WebApplicationContextRunner bad = runner;
        for (String setting : settings.split(" ", -1)) {
            bad = bad.withPropertyValues(PREFIX + setting);
        }
        bad.run(context -> {
            InvalidSettingException refusal = refusalOf(context);
            assertThat(refusal.property()).isEqualTo(PREFIX + property);
            if (value != null) {
                assertThat(refusal.value()).isEqualTo(value);
                assertThat(refusal.origin()).contains("from property source \"test\"");
            }
            assertThat(refusal.allowed()).contains(allowed);
        });
    }

    @Test
    void aGroupForRequestsWithoutAKeyWhoseOwnKeyIsTooLongForTheExecutorFailsTheStartUp() {
        WebApplicationContextRunner anonymous = runner.withPropertyValues(
                PREFIX + "rules[0].key-source=principal",
                PREFIX + "rules[0].paths=/a",
                PREFIX + "rules[1].key-source=principal",
                PREFIX + "rules[1].missing-key=http:anonymous");

        for (WebApplicationContextRunner tooLong : List.of(
                anonymous.withPropertyValues("group-concurrency.max-key-length=13"),
                anonymous.withBean(
                        GroupPolicy.class,
                        () -> GroupPolicy.builder().maxKeyLength(13).build()))) {
            tooLong.run(context -> {
                InvalidSettingException refusal = refusalOf(context);
                assertThat(refusal.property()).isEqualTo(PREFIX + "rules[1].missing-key");
                assertThat(refusal.value()).isEqualTo("http:anonymous");
                assertThat(refusal.allowed())
                        .isEqualTo("reject, pass, or the key of a group, of at most 13 characters");
            });
        }
        anonymous
                .withPropertyValues("group-concurrency.max-key-length=14")
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void aGroupOfUntrustedKeysWhoseOwnKeyIsTooLongForTheExecutorFailsTheStartUp() {
        WebApplicationContextRunner known = runner.withPropertyValues(
                PREFIX + "rules[0].key-source=principal", PREFIX + "rules[0].known-keys-only=true");

        known.withPropertyValues("group-concurrency.max-key-length=12").run(context -> {
            InvalidSettingException refusal = refusalOf(context);
            assertThat(refusal.property()).isEqualTo(PREFIX + "rules[0].prefix");
            assertThat(refusal).hasMessageContaining("makes the group 'http:_unknown', which must be at most 12");
            assertThat(refusal.allowed()).isEqualTo("a shorter prefix, or a larger max-key-length");
        });
        known.withPropertyValues("group-concurrency.max-key-length=13")
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void ofARuleWhoseKeysComeFromABeanNoShorterPrefixIsAskedFor() {
        runner.withPropertyValues(PREFIX + "rules[0].max-keys=5", "group-concurrency.max-key-length=12")
                .withBean(RequestGroupKey.class, () -> request -> "a")
                .run(context -> {
                    InvalidSettingException refusal = refusalOf(context);
                    assertThat(refusal)
                            .hasMessage("Setting '" + PREFIX + "rules[0]' makes the group 'http:_unknown', which must"
                                    + " be at most 12 characters long");
                    assertThat(refusal.allowed()).isEqualTo("a larger max-key-length");
                });
    }

    @ParameterizedTest
    @CsvSource({
        "rules[0].name=X-A, name",
        "rules[0].prefix=a, prefix",
        "rules[0].normalize=lower-case, normalize",
        "rules[0].matches-principal=true, matches-principal"
    })
    void aRuleThatABeanServesTakesItsKeysAsTheyAre(String setting, String property) {
        runner.withBean(RequestGroupKey.class, () -> request -> "a")
                .withPropertyValues(PREFIX + setting)
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("Setting '" + PREFIX + "rules[0]." + property + "'"));
    }

    @ParameterizedTest
    @CsvSource({
        "rules[0].key-source=cookie, key-source",
        "rules[0].missing-key-group=http:anonymous, missing-key",
        "rules[0].newcomers=maybe, newcomers",
        "rules[0].hold=forever, hold",
        "header=X-A, header"
    })
    void whatIsNoSettingFailsTheStartUp(String setting, String name) {
        runner.withPropertyValues(PREFIX + setting)
                .run(context -> assertThat(context).getFailure().hasStackTraceContaining(name));
    }

    @Test
    void aBeanForTheKeyNeedsNoRule() {
        runner.withBean(RequestGroupKey.class, () -> request -> "a")
                .run(context -> assertThat(context).hasSingleBean(GroupConcurrencyFilter.class));
    }

    @Test
    void withWebFluxTheSameHolds() {
        ReactiveWebApplicationContextRunner reactive = new ReactiveWebApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        GroupConcurrencyAutoConfiguration.class, GroupConcurrencyWebAutoConfiguration.class))
                .withPropertyValues(PREFIX + "enabled=true");

        reactive.run(context ->
                assertThat(context).getFailure().rootCause().hasMessageContaining("'" + PREFIX + "enabled'"));
        reactive.withBean(ExchangeGroupKey.class, () -> exchange -> Mono.just("a"))
                .run(context -> assertThat(context).hasSingleBean(GroupConcurrencyWebFilter.class));
    }

    @Test
    void severalExecutorsOfWhichNoneIsPrimaryFailTheStartUp() {
        runner.withPropertyValues(PREFIX + "rules[0].key-source=principal")
                .withBean("one", GroupExecutor.class, FilterSettingsTests::executor)
                .withBean("two", GroupExecutor.class, FilterSettingsTests::executor)
                .run(context -> assertThat(context)
                        .getFailure()
                        .isInstanceOf(NoUniqueBeanDefinitionException.class)
                        .hasMessageContaining("one,two"));
    }

    @Test
    void inAChildContextAFurtherExecutorIsNotTakenForTheDefaultOne() {
        String rule = PREFIX + "rules[0].key-source=principal";
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(GroupConcurrencyAutoConfiguration.class))
                .withPropertyValues(PREFIX + "enabled=true", rule)
                .run(parent -> runner.withPropertyValues(rule)
                        .withParent(parent)
                        .withBean(
                                "further",
                                GroupExecutor.class,
                                FilterSettingsTests::executor,
                                bean -> ((AbstractBeanDefinition) bean).setDefaultCandidate(false))
                        .run(child -> assertThat(settingsOf(child)
                                        .rules()
                                        .getFirst()
                                        .executor()
                                        .get())
                                .isSameAs(parent.getBean(GroupExecutor.class))));
    }

    private static FilterSettings settingsOf(AssertableWebApplicationContext context) {
        return new FilterSettings(
                context.getBean(GroupConcurrencyProperties.class).web().filter(),
                context.getBean(BoundSettings.class),
                context.getSourceApplicationContext().getBeanFactory(),
                RequestGroupKey.class,
                false);
    }

    private static GroupExecutor executor() {
        return GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder().build());
    }

    @Test
    void withoutTheSwitchThereIsNoFilter() {
        runner.withPropertyValues(PREFIX + "enabled=false", PREFIX + "rules[0].key-source=principal")
                .run(context -> assertThat(context).doesNotHaveBean(GroupConcurrencyFilter.class));
    }

    @Test
    void aNamedKeyThatNoRequestCanHaveIsWarnedOf(CapturedOutput output) {
        runner.withPropertyValues(
                        PREFIX + "rules[0].key-source=principal",
                        PREFIX + "rules[0].normalize=lower-case",
                        "group-concurrency.group-list[0].key=http:Acme",
                        "group-concurrency.group-list[1].key=http:hooli",
                        "group-concurrency.group-list[2].key=Other")
                .run(context -> assertThat(context).hasNotFailed());

        assertThat(output).contains("No request has the key 'http:Acme' though the settings name it");
    }

    @Test
    void rulesThatNobodyHasSwitchedOnAreWarnedOf(CapturedOutput output) {
        new WebApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        GroupConcurrencyAutoConfiguration.class, GroupConcurrencyWebAutoConfiguration.class))
                .withPropertyValues(PREFIX + "rules[0].key-source=principal")
                .run(context -> assertThat(context).hasNotFailed());

        assertThat(output).contains("limit nothing, since group-concurrency.web.filter.enabled isn't set");
    }

    @Test
    void aGroupWhoseNameBeginsLikeOneOfTheWordsIsAGroup() {
        runner.withPropertyValues(
                        PREFIX + "rules[0].key-source=principal",
                        PREFIX + "rules[0].missing-key=passers-by",
                        "group-concurrency.groups.passers-by.max-concurrency=2")
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void aKeyThatNobodyAsksForSinceTheFilterIsNotSwitchedOnIsWarnedOf(CapturedOutput output) {
        String warning = "The bean of type RequestGroupKey limits nothing, since group-concurrency.web.filter.enabled";
        WebApplicationContextRunner withKey = new WebApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        GroupConcurrencyAutoConfiguration.class, GroupConcurrencyWebAutoConfiguration.class))
                .withBean(RequestGroupKey.class, () -> request -> "a");
        for (String said : List.of("true", "false")) {
            withKey.withPropertyValues(PREFIX + "enabled=" + said)
                    .run(context -> assertThat(context).hasNotFailed());
        }
        assertThat(output).doesNotContain(warning);

        withKey.run(context -> assertThat(context).hasNotFailed());
        assertThat(output).contains(warning);
    }

    @Test
    void inWebFluxToo(CapturedOutput output) {
        new ReactiveWebApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        GroupConcurrencyAutoConfiguration.class, GroupConcurrencyWebAutoConfiguration.class))
                .withBean(ExchangeGroupKey.class, () -> exchange -> Mono.just("a"))
                .run(context -> assertThat(context).hasNotFailed());

        assertThat(output).contains("The bean of type ExchangeGroupKey limits nothing, since");
    }

    @Test
    void aNamedKeyThatAnotherRuleHasIsNot(CapturedOutput output) {
        runner.withPropertyValues(
                        PREFIX + "rules[0].key-source=principal",
                        PREFIX + "rules[0].paths=/a/**",
                        PREFIX + "rules[0].normalize=lower-case",
                        PREFIX + "rules[1].key-source=principal",
                        "group-concurrency.group-list[0].key=http:Acme")
                .run(context -> assertThat(context).hasNotFailed());

        assertThat(output).doesNotContain("No request has the key");
    }

    @Test
    void aRuleOfKnownKeysIsWarnedOfWhereNobodyKnowsOne(CapturedOutput output) {
        String warning = "All requests of a rule of the web filter share the group 'http:_unknown'";
        WebApplicationContextRunner knownOnly = runner.withPropertyValues(
                PREFIX + "rules[0].key-source=principal",
                PREFIX + "rules[0].known-keys-only=true",
                "group-concurrency.group-list[0].key=http:_unknown");
        knownOnly
                .withPropertyValues("group-concurrency.group-list[1].key=http:acme")
                .run(context -> assertThat(context).hasNotFailed());
        knownOnly
                .withBean(KnownGroupKeys.class, () -> key -> true)
                .run(context -> assertThat(context).hasNotFailed());
        assertThat(output).doesNotContain(warning);

        knownOnly
                .withPropertyValues("group-concurrency.group-list[1].key=http:*")
                .run(context -> assertThat(context).hasNotFailed());
        assertThat(output).contains(warning);
    }

    @Test
    void whoKnowsKeysIsLookedForOnlyWhereARuleAsks() {
        WebApplicationContextRunner two = runner.withPropertyValues(PREFIX + "rules[0].key-source=principal")
                .withBean("one", KnownGroupKeys.class, () -> key -> true)
                .withBean("two", KnownGroupKeys.class, () -> key -> true);

        two.run(context -> assertThat(context).hasNotFailed());
        two.withPropertyValues(PREFIX + "rules[0].max-keys=5")
                .run(context -> assertThat(context).getFailure().isInstanceOf(NoUniqueBeanDefinitionException.class));
    }

    /** Each request asks, and the flood of them is what the option is for. Spring 6 keeps no {@code null}; Spring 7 does. */
    @Test
    @Tag("boot35")
    void whoKnowsKeysIsLookedForOnceThoughThereIsNobody() {
        AtomicInteger looks = new AtomicInteger();
        runner.withPropertyValues(PREFIX + "rules[0].key-source=principal", PREFIX + "rules[0].max-keys=5")
                .withBean(
                        KnownGroupKeys.class,
                        () -> {
                            looks.incrementAndGet();
                            return null;
                        },
                        bean -> bean.setScope(BeanDefinition.SCOPE_PROTOTYPE))
                .run(context -> {
                    RequestKey key = settingsOf(context).rules().getFirst().key();
                    looks.set(0);
                    for (String user : List.of("a", "b", "c")) {
                        assertThat(key.decide(user, null, GroupPolicy.builder().build())
                                        .refusal())
                                .isNull();
                    }
                });

        assertThat(looks).hasValue(1);
    }
}
