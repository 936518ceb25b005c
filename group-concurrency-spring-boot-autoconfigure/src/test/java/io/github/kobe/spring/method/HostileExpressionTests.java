package io.github.kobe.spring.method;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.github.kobe.GroupExecutor;
import io.github.kobe.spring.annotation.GroupConcurrent;
import io.github.kobe.spring.autoconfigure.GroupConcurrencyAutoConfiguration;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.env.StandardEnvironment;

/**
 * Group expressions that want more than they may have, and arguments that want to be one. Expressions are written by the
 * application's own programmers; that they reach nothing but their arguments bounds what a careless one gives away.
 */
class HostileExpressionTests {

    private static final String MARK = "hostile.expression.ran";

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    GroupConcurrencyAutoConfiguration.class, GroupConcurrentAspectAutoConfiguration.class));

    @ParameterizedTest
    @ValueSource(
            strings = {
                "T(java.lang.Runtime).getRuntime().exec('id')",
                "T(java.lang.System).setProperty('" + MARK + "', #text)",
                "#text + T(String)",
                "{T(java.lang.Runtime)}",
                "{'a': T(java.lang.Runtime)}",
                "#list.![T(java.lang.Runtime)]",
                "#list.?[T(java.lang.Runtime) != null]",
                "#list[T(java.lang.Integer).MIN_VALUE]",
                "#text == null ? 'a' : T(java.lang.Runtime)",
                "#text ?: T(java.lang.Runtime)",
                "#text instanceof T(java.lang.String)",
                "#text.concat(T(java.lang.Runtime))",
                "new java.lang.ProcessBuilder(#text).start()",
                "#text + new String('a')",
                "new int[1000000000]",
                "@groupExecutor.shutdown() + #text",
                "&groupExecutor + #text",
                "#list.![@groupExecutor]",
                "#text = 'other'",
                "#map['a'] = #text",
                "#map.a = #text",
                "#holder.number++",
                "--#holder.number + #text",
                "#root.target = #text",
                "#unknown.text",
                "#exec(#text)",
                "systemProperties['" + MARK + "'] + #text",
                "environment + #text",
                "beanFactory.getBean(#text)"
            })
    void whatReachesBeyondTheArgumentsFailsTheStartUp(String expression) throws Exception {
        assertThat(problemAtStartUp(expression)).isNotNull();
        assertThat(problemAtStartUp("tenant:#{" + expression + "}")).isNotNull();
    }

    /** Not to be known from the text: what a name or a call leads to is known once there is a value. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "#text.getClass()",
                "#text.class",
                "#text['class']",
                "#text.class.forName('java.lang.Runtime')",
                "#text.getClass().forName('java.lang.Runtime').getMethod('getRuntime').invoke(null)",
                "#text.bytes.class.classLoader + #text",
                "#root.class",
                "#root.getClass().getClassLoader()",
                "#root.class.protectionDomain",
                "#root.method.class",
                "#root.method.invoke(#root.target, #text)",
                "#root.method.getDeclaringClass().getClassLoader()",
                "#root.method.declaringClass.classLoader",
                "#root.targetClass.forName('java.lang.Runtime')",
                "#root.targetClass.classLoader",
                "#root.targetClass.getClassLoader()",
                "#root.targetClass.newInstance()",
                "#root.target.class",
                "#holder.type.classLoader",
                "#holder.type.forName('java.lang.Runtime')",
                "#holder.loader.loadClass('java.lang.Runtime')",
                "#holder.valueOf(#text)",
                "#holder.secret",
                "#list.class.classLoader",
                "#text.valueOf('a')",
                "#text.format('%s', #text)"
            })
    void whatLeadsToClassesLoadersOrStaticsIsRefusedAtTheCall(String expression) throws Exception {
        GroupKeyExpression key = parse(expression);

        assertThatIllegalArgumentException().isThrownBy(() -> evaluate(key, "text"));
    }

    @Test
    void whatIsMeantToWorkWorks() throws Exception {
        assertThat(evaluate(parse("#text"), "a")).isEqualTo("a");
        assertThat(evaluate(parse("#text.trim().toUpperCase()"), " a ")).isEqualTo("A");
        assertThat(evaluate(parse("#holder.number"), "a")).isEqualTo("7");
        assertThat(evaluate(parse("#list[0] + ':' + #map['key']"), "a")).isEqualTo("one:value");
        assertThat(evaluate(parse("#root.methodName + #text"), "a")).isEqualTo("keyeda");
    }

    /** A parameter may be called as the place of another one; as with Spring's own annotations, the one behind wins. */
    @Test
    void anArgumentIsTheKeyItselfByNameAndByPlace() throws Exception {
        String text = new String("tenant-1");
        assertThat(evaluate(parse("#text"), text)).isSameAs(text);
        assertThat(evaluate(parse("#p0"), text)).isSameAs(text);
        assertThat(evaluate(parse("#a0"), text)).isSameAs(text);
        assertThat(evaluate(parse("x:#{#text}"), text)).isEqualTo("x:tenant-1");

        Method confusing = HostileExpressionTests.class.getDeclaredMethod(
                "confusing", String.class, String.class, String.class, String.class);
        Object[] args = {"first", "second", "third", "fourth"};
        for (String suffix : List.of("", ".concat('')")) {
            assertThat(parse("#p1" + suffix, confusing).evaluate(this, args, null))
                    .isEqualTo("second");
            assertThat(parse("#p0" + suffix, confusing).evaluate(this, args, null))
                    .isEqualTo("third");
            assertThat(parse("#root.methodName" + suffix, confusing).evaluate(this, args, null))
                    .isEqualTo("confusing");
        }
    }

    @SuppressWarnings({"UnusedMethod", "UnusedVariable"}) // its signature is what the expressions see
    void confusing(String p1, String b, String p0, String root) {}

    @ParameterizedTest
    @ValueSource(
            strings = {
                "T(java.lang.System).setProperty('" + MARK + "', 'x')",
                "#{T(java.lang.System).setProperty('" + MARK + "', 'x')}",
                "tenant:#{#text}",
                "#text",
                "${java.home}",
                "${" + MARK + ":x}",
                "#{'#{1+1}'}",
                "@groupExecutor",
                "' + T(java.lang.Runtime) + '",
                "'} + #{T(java.lang.Runtime)}",
                "*",
                "tenant:*",
                "\\u0023{1+1}",
                "%s%n",
                "{0}"
            })
    void anArgumentThatLooksLikeAnExpressionIsText(String value) {
        runner.withBean(Keyed.class)
                .withPropertyValues(
                        "group-concurrency.group-list[0].key=tenant:*",
                        "group-concurrency.group-list[0].max-concurrency=3")
                .run(context -> {
                    Keyed keyed = context.getBean(Keyed.class);
                    keyed.plain(value);
                    keyed.template(value);

                    assertThat(context.getBean(GroupExecutor.class).groupKeys())
                            .containsExactlyInAnyOrder(value, "x:" + value + ":" + value);
                    assertThat(System.getProperty(MARK)).isNull();
                });
    }

    @Test
    void whatAnArgumentBringsIntoAMessageStaysInItsLine() throws Exception {
        GroupKeyExpression key = parse("'a' matches #text ? 'x' : 'y'");

        assertThatIllegalArgumentException()
                .isThrownBy(() -> evaluate(key, "(\r\n2026-01-01 INFO forged\u2028\u202e\u0085"))
                .withMessageContaining("forged")
                .satisfies(refusal ->
                        assertThat(refusal.getMessage()).doesNotContain("\n", "\r", "\u2028", "\u202e", "\u0085"));
    }

    @Test
    void whatAnArgumentBringsIntoALoggedStackTraceStaysInItsLine() throws Exception {
        GroupKeyExpression key = parse("'a' matches #text ? 'x' : 'y'");

        assertThatIllegalArgumentException()
                .isThrownBy(() -> evaluate(key, "(\r\n2026-01-01 INFO forged\u2028\u202e\u0085"))
                .satisfies(refusal -> {
                    StringWriter printed = new StringWriter();
                    refusal.printStackTrace(new PrintWriter(printed));
                    assertThat(printed.toString().lines())
                            .allMatch(line ->
                                    line.matches("\\tat .*|\\t\\.\\.\\. \\d+ more|(Caused by: )?java\\.lang\\..*"))
                            .anyMatch(line -> line.contains("Caused by: ") && line.contains("SpelEvaluationException"))
                            .anyMatch(line -> line.contains("org.springframework.expression.spel.ast."));
                    assertThat(printed.toString()).doesNotContain("\u2028", "\u202e", "\u0085");
                });
    }

    private static String problemAtStartUp(String text) throws Exception {
        try {
            parse(text);
            return null;
        } catch (InvalidGroupConcurrentException refused) {
            return refused.getMessage();
        }
    }

    private static GroupKeyExpression parse(String text) throws Exception {
        return parse(text, method());
    }

    private static GroupKeyExpression parse(String text, Method method) {
        // The mark of a variable makes it an expression; most of those here have none.
        String expression = text.contains("#{") ? text : "#{" + text + "}";
        return GroupKeyExpression.parse(
                expression,
                method,
                method,
                new ExpressionCheck(method, GuardedMethods.PARAMETER_NAMES, false),
                new Placeholders(new StandardEnvironment()));
    }

    private static Method method() throws NoSuchMethodException {
        return HostileExpressionTests.class.getDeclaredMethod(
                "keyed", String.class, List.class, Map.class, Holder.class);
    }

    private static String evaluate(GroupKeyExpression key, String text) {
        Object[] args = {
            text, new ArrayList<>(List.of("one", "two")), new HashMap<>(Map.of("key", "value")), new Holder()
        };
        return key.evaluate(new HostileExpressionTests(), args, null);
    }

    @SuppressWarnings({"UnusedMethod", "UnusedVariable"}) // its signature is what the expressions see
    void keyed(String text, List<String> list, Map<String, String> map, Holder holder) {}

    /** What a programmer may hand to a method without a thought. */
    public static final class Holder {

        @SuppressWarnings("UnusedVariable") // not to be reached
        private final String secret = "secret";

        public int getNumber() {
            return 7;
        }

        public Class<?> getType() {
            return Holder.class;
        }

        public ClassLoader getLoader() {
            return Holder.class.getClassLoader();
        }

        public static String valueOf(String text) {
            return text;
        }
    }

    static class Keyed {

        @GroupConcurrent(group = "#text")
        void plain(String text) {}

        @GroupConcurrent(group = "x:#{#text}:#{#p0}")
        void template(String text) {}
    }
}
