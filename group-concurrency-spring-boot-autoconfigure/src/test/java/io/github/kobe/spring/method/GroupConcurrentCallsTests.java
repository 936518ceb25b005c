package io.github.kobe.spring.method;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.RejectionReason;
import io.github.kobe.spring.annotation.GroupConcurrent;
import io.github.kobe.spring.autoconfigure.GroupConcurrencyAutoConfiguration;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.io.IOException;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.PointcutAdvisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import reactor.core.publisher.Mono;

/** Calls on the caller's own thread, through real proxies of classes and of interfaces. */
class GroupConcurrentCallsTests {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    AopAutoConfiguration.class,
                    GroupConcurrencyAutoConfiguration.class,
                    GroupConcurrentAspectAutoConfiguration.class))
            .withUserConfiguration(Beans.class)
            .withPropertyValues("room=north");

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aProxyOfAClassOrOfAnInterfaceRunsTheMethodInItsGroup(boolean proxyTargetClass) {
        runner.withPropertyValues("spring.aop.proxy-target-class=" + proxyTargetClass)
                .run(context -> {
                    Reports reports = context.getBean("reports", Reports.class);
                    assertThat(AopUtils.isCglibProxy(reports)).isEqualTo(proxyTargetClass);
                    assertThat(AopUtils.isJdkDynamicProxy(reports)).isEqualTo(!proxyTargetClass);

                    Thread ran = reports.build("a");

                    assertThat(ran).isSameAs(Thread.currentThread());
                    assertThat(submitted(context.getBean(GroupExecutor.class), "tenant:a"))
                            .isEqualTo(1);
                });
    }

    @Test
    void keysAreLiteralsPlaceholdersTemplatesOrExpressions() {
        runner.run(context -> {
            Keys keys = context.getBean(Keys.class);
            keys.literal();
            keys.hash();
            keys.placeholder();
            keys.template("a");
            keys.expression("b");
            keys.position("c");
            keys.root("d");
            keys.method("  e  ");

            assertThat(context.getBean(GroupExecutor.class).groupKeys())
                    .containsExactlyInAnyOrder(
                            "exports", "room#1", "room:north", "tenant:a:north", "b", "c", "root:d", "e");
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"#{T(java.lang.Runtime)} ${room}", "#{'evaluated'}", "#tenant"})
    @Tag("K9")
    void whatAnArgumentHoldsIsNeverReadAsAnExpression(String argument) {
        runner.run(context -> {
            context.getBean(Keys.class).expression(argument);

            assertThat(context.getBean(GroupExecutor.class).groupKeys()).containsExactly(argument);
        });
    }

    @Test
    @Tag("K9")
    void whatAPlaceholderHoldsIsNeverReadAsAnExpression() {
        runner.withPropertyValues("room=#{'evaluated'}").run(context -> {
            context.getBean(Keys.class).placeholder();

            assertThat(context.getBean(GroupExecutor.class).groupKeys()).containsExactly("room:#{'evaluated'}");
        });
    }

    @Test
    void aKeyThatIsNullOrBlankIsRefusedWithTheMethodsName() {
        runner.run(context -> {
            Keys keys = context.getBean(Keys.class);
            assertThatExceptionOfType(IllegalArgumentException.class)
                    .isThrownBy(() -> keys.expression(null))
                    .withMessage("The group of " + Keys.class.getName() + ".expression(String): '#tenant' is null");
            assertThatExceptionOfType(IllegalArgumentException.class)
                    .isThrownBy(() -> keys.template(" "))
                    .withMessage("The group of " + Keys.class.getName() + ".template(String): '#tenant' is blank");
        });
    }

    @Test
    void anExpressionThatCannotBeEvaluatedIsRefusedWithTheMethodsName() {
        runner.run(context -> assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> context.getBean(Keys.class).method(null))
                .withMessageStartingWith("The group of " + Keys.class.getName()
                        + ".method(String): '#a0.trim()' can't be evaluated: EL1011E"));
    }

    @Test
    void aTypesAnnotationHoldsForItsOwnAndInheritedMethodsButForNoneOfObjects() {
        runner.run(context -> {
            Typed typed = context.getBean(Typed.class);
            typed.own();
            typed.inherited();
            typed.special();
            assertThat(typed.toString()).isEqualTo("typed");

            GroupExecutor executor = context.getBean(GroupExecutor.class);
            assertThat(submitted(executor, "by-type")).isEqualTo(2);
            assertThat(submitted(executor, "by-method")).isEqualTo(1);
        });
    }

    @Test
    void theAnnotationIsFoundOnInterfacesAndAsAMetaAnnotation() {
        runner.run(context -> {
            context.getBean(OnInterface.class).work();
            context.getBean(Keys.class).meta();

            assertThat(context.getBean(GroupExecutor.class).groupKeys())
                    .containsExactlyInAnyOrder("on-interface", "meta");
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anInterfacesAnnotationHoldsForAMethodOfAClassThatDoesNotKnowTheInterface(boolean proxyTargetClass) {
        runner.withBean(JdbcOrders.class)
                .withPropertyValues("spring.aop.proxy-target-class=" + proxyTargetClass)
                .run(context -> {
                    NamedOrders orders = context.getBean(NamedOrders.class);
                    orders.place();
                    orders.change("a");
                    orders.cancel();
                    orders.list();

                    GroupExecutor executor = context.getBean(GroupExecutor.class);
                    assertThat(executor.groupKeys())
                            .containsExactlyInAnyOrder("orders", "orders:a", "cancellations", "by-store");
                    assertThat(submitted(executor, "orders")).isEqualTo(1);
                });
    }

    @Test
    void aClientThatIsMadeFromItsInterfaceIsLimited() {
        runner.withBean(ClientFactory.class).run(context -> {
            assertThat(context.getBean(Client.class).fetch("a")).isEqualTo("fetch");

            assertThat(submitted(context.getBean(GroupExecutor.class), "partner:a"))
                    .isEqualTo(1);
        });
    }

    @Test
    void aClientsMethodThatNarrowsAnInheritedOneIsOneMethodHoweverItIsCalled() {
        runner.withBean(
                        OrderClient.class,
                        () -> clientOf(OrderClient.class, method -> "get".equals(method) ? Mono.just(method) : method))
                .run(context -> {
                    OrderClient client = context.getBean(OrderClient.class);
                    Sender<String> sender = client;
                    GroupExecutor executor = context.getBean(GroupExecutor.class);

                    assertThat(sender.send("a")).isEqualTo("send");
                    assertThat(submitted(executor, "sent:a")).isEqualTo(1);
                    executor.pause("sent:a");
                    assertThat(client.send("a")).isEqualTo("later");

                    Object cold = sender.get("b");
                    assertThat(submitted(executor, "got:b")).isZero();
                    assertThat(((Mono<?>) cold).block(Deadline.LONG)).isEqualTo("get");
                    assertThat(submitted(executor, "got:b")).isEqualTo(1);
                });
    }

    @Test
    void aBeanOfAChildContextIsLimitedInTheExecutorOfItsParent() {
        runner.run(parent -> runner.withParent(parent).run(child -> {
            Reports reports = child.getBean("reports", Reports.class);
            reports.build("a");

            assertThat(submitted(parent.getBean("groupExecutor", GroupExecutor.class), "tenant:a"))
                    .isEqualTo(1);
            assertThat(limitsAround(reports)).isEqualTo(1);
        }));
    }

    @Test
    void inAChildContextWithAnExecutorOfItsOwnCallsRunThere() {
        runner.run(parent -> runner.withParent(parent)
                .withBean("own", GroupExecutor.class, Beans::newExecutor)
                .run(child -> {
                    child.getBean("reports", Reports.class).build("a");
                    parent.getBean("reports", Reports.class).build("b");

                    assertThat(child.getBean("own", GroupExecutor.class).groupKeys())
                            .containsExactly("tenant:a");
                    assertThat(parent.getBean("groupExecutor", GroupExecutor.class)
                                    .groupKeys())
                            .containsExactly("tenant:b");
                }));
    }

    @ParameterizedTest
    @CsvSource({"2147483646,", "5,5"})
    void theLimitsPlaceAmongOtherAdviceIsASetting(int order, String setting) {
        runner.withPropertyValues(setting == null ? "unused=" : "group-concurrency.annotation.order=" + setting)
                .run(context -> assertThat(
                                context.getBean(DefaultPointcutAdvisor.class).getOrder())
                        .isEqualTo(order));
    }

    @Test
    void aCallFromWithinTheSameObjectDoesNotGoThroughTheProxyAndIsNotLimited() {
        runner.run(context -> {
            context.getBean(Keys.class).callsItself();

            assertThat(context.getBean(GroupExecutor.class).groupKeys()).isEmpty();
        });
    }

    @Test
    void twoBeansWithTheSameKeyShareTheLimit() {
        runner.run(context -> {
            Gate gate = new Gate();
            Blocking first = context.getBean("first", Blocking.class);
            Blocking second = context.getBean("second", Blocking.class);
            Caller<Void> holder = Caller.start(() -> first.work(gate));
            GroupExecutor executor = context.getBean(GroupExecutor.class);
            Deadline.until("the first runs", () -> running(executor, "shared") == 1);

            Caller<Void> waiter = Caller.start(() -> second.work(gate));
            Deadline.until(
                    "the second in the queue",
                    () -> executor.groupStats("shared").orElseThrow().queued() == 1);
            assertThat(running(executor, "shared")).isEqualTo(1);

            gate.open();
            holder.result();
            waiter.result();
            assertThat(submitted(executor, "shared")).isEqualTo(2);
        });
    }

    @Test
    void aCallThatIsNotLetInEndsWithTheRejection() {
        runner.withPropertyValues("group-concurrency.groups.shared.queue-threshold=0")
                .run(context -> {
                    context.getBean(GroupExecutor.class).pause("shared");

                    assertThatExceptionOfType(RejectedTaskException.class)
                            .isThrownBy(() ->
                                    context.getBean("first", Blocking.class).work(new Gate()))
                            .satisfies(rejection -> {
                                assertThat(rejection.reason()).isEqualTo(RejectionReason.GROUP_QUEUE_FULL);
                                assertThat(rejection.groupKey()).isEqualTo("shared");
                                assertThat(rejection.taskId()).isEqualTo("Blocking.work");
                            });
                });
    }

    @Test
    void theQueueTimeoutOfTheAnnotationEndsTheWait() {
        runner.run(context -> {
            GroupExecutor executor = context.getBean(GroupExecutor.class);
            executor.pause("slow");

            assertThatExceptionOfType(RejectedTaskException.class)
                    .isThrownBy(() -> context.getBean(Answering.class).noFallback())
                    .satisfies(rejection -> assertThat(rejection.reason()).isEqualTo(RejectionReason.QUEUE_TIMEOUT));
        });
    }

    @Test
    void theFallbackAnswersRejectedCallsWithOrWithoutTheException() {
        runner.run(context -> {
            context.getBean(GroupExecutor.class).pause("slow");
            Answering answering = context.getBean(Answering.class);

            assertThat(answering.withException("x")).isEqualTo("x was rejected: QUEUE_TIMEOUT");
            assertThat(answering.plain("y")).isEqualTo("y was rejected");
            assertThat(answering.overloaded("z")).isEqualTo("z was rejected: QUEUE_TIMEOUT");
        });
    }

    @Test
    void afterAShutdownACallIsRejectedForThatReason() {
        runner.run(context -> {
            context.getBean(GroupExecutor.class).shutdown();

            assertThatExceptionOfType(RejectedTaskException.class)
                    .isThrownBy(() -> context.getBean(Keys.class).literal())
                    .satisfies(rejection -> assertThat(rejection.reason()).isEqualTo(RejectionReason.SHUTDOWN));
            assertThat(context.getBean(Answering.class).plain("y")).isEqualTo("y was rejected");
        });
    }

    @Test
    void whatTheMethodThrowsComesOutAsItIs() {
        runner.run(context -> {
            Throwing throwing = context.getBean(Throwing.class);
            assertThatExceptionOfType(IOException.class)
                    .isThrownBy(() -> throwing.fail(new IOException("disk")))
                    .withMessage("disk");
            assertThatExceptionOfType(IllegalStateException.class)
                    .isThrownBy(() -> throwing.fail(new IllegalStateException("own")))
                    .withMessage("own");
            RejectedTaskException inner = new RejectedTaskException("other", "", RejectionReason.SHUTDOWN, -1, 0);
            assertThatExceptionOfType(RejectedTaskException.class)
                    .isThrownBy(() -> throwing.fail(inner))
                    .isSameAs(inner);
            assertThatExceptionOfType(StackOverflowError.class)
                    .isThrownBy(() -> throwing.fail(new StackOverflowError("deep")))
                    .withMessage("deep");
        });
    }

    @Test
    void anInterruptedWaitIsARejectionWithTheFlagSetThatNoFallbackAnswers() {
        runner.run(context -> {
            context.getBean(GroupExecutor.class).pause("slow");
            AtomicReference<Object> seen = new AtomicReference<>();
            Thread caller = Thread.ofVirtual().unstarted(() -> {
                try {
                    context.getBean(Answering.class).patient("z");
                } catch (RejectedTaskException rejection) {
                    seen.set(rejection.reason() + " " + Thread.currentThread().isInterrupted());
                }
            });
            interruptInQueue(caller, context.getBean(GroupExecutor.class));

            assertThat(seen.get()).isEqualTo("INTERRUPTED true");
        });
    }

    @Test
    void aMethodThatDeclaresInterruptedExceptionThrowsIt() {
        runner.run(context -> {
            context.getBean(GroupExecutor.class).pause("slow");
            FutureTask<Void> call = new FutureTask<>(() -> {
                context.getBean(Answering.class).interruptible();
                return null;
            });
            interruptInQueue(Thread.ofVirtual().unstarted(call), context.getBean(GroupExecutor.class));

            assertThat(call.exceptionNow()).isInstanceOf(InterruptedException.class);
        });
    }

    @Test
    void anExecutorCanBeNamed() {
        runner.run(context -> {
            context.getBean(Keys.class).elsewhere();

            assertThat(context.getBean(GroupExecutor.class).groupKeys()).isEmpty();
            assertThat(context.getBean("further", GroupExecutor.class).groupKeys())
                    .containsExactly("exports");
        });
    }

    @Test
    void anExecutorCanBeNamedByASetting() {
        runner.withPropertyValues("exports.executor=further").run(context -> {
            context.getBean(Keys.class).configured();

            assertThat(context.getBean("further", GroupExecutor.class).groupKeys())
                    .containsExactly("configured");
        });
    }

    @Test
    void theGroupAloneNeedsNoName() {
        runner.run(context -> {
            context.getBean(Keys.class).shortly("a");

            assertThat(context.getBean(GroupExecutor.class).groupKeys()).containsExactly("tenant:a");
        });
    }

    @Test
    void switchedOffMethodsRunWithoutLimitAndWithoutProxy() {
        runner.withPropertyValues("group-concurrency.annotation.enabled=false").run(context -> {
            assertThat(AopUtils.isAopProxy(context.getBean(Keys.class))).isFalse();
            context.getBean(Keys.class).literal();
            assertThat(context.getBean(GroupExecutor.class).groupKeys()).isEmpty();
        });
    }

    @Test
    void aBeanWithoutTheAnnotationHasNoProxy() {
        runner.run(context -> assertThat(AopUtils.isAopProxy(context.getBean(Unlimited.class)))
                .isFalse());
    }

    private static void interruptInQueue(Thread caller, GroupExecutor executor) throws InterruptedException {
        caller.start();
        Deadline.until(
                "one in the queue",
                () -> executor.groupStats("slow").orElseThrow().queued() == 1);
        caller.interrupt();
        assertThat(caller.join(Deadline.LONG)).as("the caller ends").isTrue();
    }

    /** {@return a client that is made as HTTP interfaces and repositories are, and answers by a method's name} */
    private static <T> T clientOf(Class<T> type, UnaryOperator<Object> answers) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, arguments) -> answers.apply(method.getName())));
    }

    private static long limitsAround(Object bean) {
        return Arrays.stream(((Advised) bean).getAdvisors())
                .filter(advisor ->
                        advisor instanceof PointcutAdvisor by && by.getPointcut() instanceof GroupConcurrentPointcut)
                .count();
    }

    private static int running(GroupExecutor executor, String key) {
        return executor.groupStats(key).map(group -> group.running()).orElse(0);
    }

    private static long submitted(GroupExecutor executor, String key) {
        return executor.groupStats(key).map(group -> group.totals().submitted()).orElse(0L);
    }

    interface Reports {
        Thread build(String tenantId);
    }

    static class TenantReports implements Reports {
        @Override
        @GroupConcurrent(group = "tenant:#{#tenantId}")
        public Thread build(String tenantId) {
            return Thread.currentThread();
        }
    }

    @Target(ElementType.METHOD)
    @Retention(RetentionPolicy.RUNTIME)
    @GroupConcurrent(group = "meta")
    @interface Metered {}

    static class Keys {
        @GroupConcurrent(group = "exports")
        void literal() {}

        @GroupConcurrent(group = "room#1")
        void hash() {}

        @GroupConcurrent(group = "room:${room}")
        void placeholder() {}

        @GroupConcurrent(group = "tenant:#{#tenant}:${room}")
        void template(String tenant) {}

        @GroupConcurrent(group = "#tenant")
        void expression(String tenant) {}

        @GroupConcurrent(group = "#p0 + ''")
        void position(String tenant) {}

        @GroupConcurrent(group = "#{#root.methodName}:#{#root.args[0]}")
        void root(String tenant) {}

        @GroupConcurrent(group = "#a0.trim()")
        void method(String tenant) {}

        @Metered
        void meta() {}

        @GroupConcurrent(group = "exports", executor = "further")
        void elsewhere() {}

        @GroupConcurrent(group = "configured", executor = "${exports.executor:groupExecutor}")
        void configured() {}

        @GroupConcurrent("tenant:#{#tenant}")
        void shortly(String tenant) {}

        void callsItself() {
            literal();
        }
    }

    static class Base {
        void inherited() {}
    }

    @GroupConcurrent(group = "by-type")
    static class Typed extends Base {
        void own() {}

        @GroupConcurrent(group = "by-method")
        void special() {
            own();
        }

        @Override
        public String toString() {
            return "typed";
        }
    }

    interface OnInterface {
        @GroupConcurrent(group = "on-interface")
        void work();
    }

    static class Implementation implements OnInterface {
        @Override
        public void work() {}
    }

    interface Orders<T> {
        @GroupConcurrent(group = "orders")
        void place();

        @GroupConcurrent(group = "orders:#{#order}")
        void change(T order);

        @GroupConcurrent(group = "cancellations")
        default void cancel() {
            throw new UnsupportedOperationException("The store cancels");
        }

        @GroupConcurrent(group = "overridden")
        void list();
    }

    interface NamedOrders extends Orders<String> {}

    static class Store {
        public void place() {}

        public void change(String order) {}

        public void cancel() {}

        @GroupConcurrent(group = "by-store")
        public void list() {}
    }

    @GroupConcurrent(group = "by-type")
    static class JdbcOrders extends Store implements NamedOrders {}

    interface Client {
        @GroupConcurrent(group = "partner:#{#name}")
        String fetch(String name);
    }

    interface Sender<T> {
        String send(T order);

        Object get(String id);
    }

    interface OrderClient extends Sender<String> {
        @Override
        @GroupConcurrent(group = "sent:#{#order}", queueTimeout = "1ms", fallbackMethod = "later")
        String send(String order);

        default String later(String order) {
            return order;
        }

        @Override
        @GroupConcurrent(group = "got:#{#id}")
        Mono<String> get(String id);
    }

    static class ClientFactory implements FactoryBean<Client> {
        @Override
        public Client getObject() {
            return clientOf(Client.class, method -> method);
        }

        @Override
        public Class<?> getObjectType() {
            return Client.class;
        }
    }

    static class Blocking {
        @GroupConcurrent(group = "shared")
        Void work(Gate gate) throws InterruptedException {
            gate.pass();
            return null;
        }
    }

    static class Answering {
        @GroupConcurrent(group = "slow", queueTimeout = "${slow.timeout:1ms}")
        String noFallback() {
            return "ran";
        }

        @GroupConcurrent(group = "slow", queueTimeout = "1ms", fallbackMethod = "rejected")
        String withException(String name) {
            return "ran";
        }

        @GroupConcurrent(group = "slow", queueTimeout = "1ms", fallbackMethod = "plainAnswer")
        String plain(String name) {
            return "ran";
        }

        @GroupConcurrent(group = "slow", queueTimeout = "1ms", fallbackMethod = "answer")
        String overloaded(String name) {
            return "ran";
        }

        @SuppressWarnings({"UnusedMethod", "UnusedVariable"}) // a fallback that another one is preferred to
        private String answer(String name) {
            return name;
        }

        @SuppressWarnings({"UnusedMethod", "UnusedVariable"}) // called as a fallback
        private String answer(String name, RejectedTaskException rejection) {
            return rejected(name, rejection);
        }

        @GroupConcurrent(group = "slow", fallbackMethod = "plainAnswer")
        String patient(String name) {
            return "ran";
        }

        @GroupConcurrent(group = "slow")
        void interruptible() throws InterruptedException {}

        @SuppressWarnings({"UnusedMethod", "UnusedVariable"}) // called as a fallback
        private String rejected(String name, RejectedTaskException rejection) {
            return name + " was rejected: " + rejection.reason();
        }

        @SuppressWarnings({"UnusedMethod", "UnusedVariable"}) // called as a fallback
        private String plainAnswer(String name) {
            return name + " was rejected";
        }
    }

    static class Throwing {
        @GroupConcurrent(group = "throwing", fallbackMethod = "never")
        void fail(Throwable failure) throws Throwable {
            throw failure;
        }

        @SuppressWarnings({"UnusedMethod", "UnusedVariable"}) // called as a fallback
        private void never(Throwable failure) {
            throw new AssertionError("The method ran");
        }
    }

    static class Unlimited {
        void work() {}
    }

    @Configuration(proxyBeanMethods = false)
    static class Beans {
        @Bean
        TenantReports reports() {
            return new TenantReports();
        }

        @Bean
        Keys keys() {
            return new Keys();
        }

        @Bean
        Typed typed() {
            return new Typed();
        }

        @Bean
        Implementation implementation() {
            return new Implementation();
        }

        @Bean
        Blocking first() {
            return new Blocking();
        }

        @Bean
        Blocking second() {
            return new Blocking();
        }

        @Bean
        Answering answering() {
            return new Answering();
        }

        @Bean
        Throwing throwing() {
            return new Throwing();
        }

        @Bean
        Unlimited unlimited() {
            return new Unlimited();
        }

        @Bean(defaultCandidate = false)
        GroupExecutor further() {
            return newExecutor();
        }

        static GroupExecutor newExecutor() {
            return GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder().build());
        }
    }
}
