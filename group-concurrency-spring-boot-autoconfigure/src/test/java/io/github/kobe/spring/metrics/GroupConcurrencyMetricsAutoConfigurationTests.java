package io.github.kobe.spring.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupRecorder;
import io.github.kobe.GroupStats;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskStatus;
import io.github.kobe.cluster.ClusterStore;
import io.github.kobe.spring.GroupExecutorBuilder;
import io.github.kobe.spring.GroupPolicyCustomizer;
import io.github.kobe.spring.autoconfigure.GroupConcurrencyAutoConfiguration;
import io.github.kobe.spring.testing.BootAutoConfigurations;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.GenericApplicationContext;

class GroupConcurrencyMetricsAutoConfigurationTests {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(BootAutoConfigurations.named(
                    "MetricsAutoConfiguration",
                    "CompositeMeterRegistryAutoConfiguration",
                    "SimpleMetricsExportAutoConfiguration"))
            .withConfiguration(AutoConfigurations.of(
                    GroupConcurrencyAutoConfiguration.class, GroupConcurrencyMetricsAutoConfiguration.class));

    @Test
    void aConfiguredGroupHasItsMetersFromItsFirstUseOn() {
        runner.withPropertyValues(
                        "group-concurrency.global.max-in-flight=50", "group-concurrency.groups.vip.max-concurrency=8")
                .run(context -> {
                    MeterRegistry registry = context.getBean(MeterRegistry.class);
                    assertThat(groupTags(registry)).containsExactlyInAnyOrder("_default", "_all");
                    context.getBean(GroupExecutor.class).call("vip", () -> "used");

                    assertThat(gauge(registry, "max.permits", "vip")).isEqualTo(8);
                    assertThat(gauge(registry, "available.permits", "vip")).isEqualTo(8);
                    assertThat(gauge(registry, "running", "vip")).isZero();
                    assertThat(gauge(registry, "running", "_default")).isZero();
                    assertThat(gauge(registry, "global.max.permits", "_all")).isEqualTo(50);
                    assertThat(gauge(registry, "global.available.permits", "_all"))
                            .isEqualTo(50);
                    assertThat(counter(registry, "submitted", "vip")).isEqualTo(1);
                });
    }

    @Test
    void permitsAreOfTheLimitThatLetsLessRun() {
        runner.withPropertyValues(
                        "group-concurrency.groups.open.max-concurrency=2",
                        "group-concurrency.groups.narrow.max-concurrency=8",
                        "group-concurrency.groups.narrow.max-in-flight=3")
                .run(context -> {
                    GroupExecutor executor = context.getBean(GroupExecutor.class);
                    MeterRegistry registry = context.getBean(MeterRegistry.class);
                    CompletableFuture<String> stage = new CompletableFuture<>();
                    executor.submitAsync("open", "1", () -> stage);
                    executor.submitAsync("open", "2", () -> stage);
                    GroupPermit permit = executor.acquire("narrow");
                    Deadline.until("both stages are open", () -> {
                        GroupStats open = executor.groupStats("open").orElseThrow();
                        return open.inFlight() == 2 && open.running() == 0;
                    });

                    assertThat(gauge(registry, "max.permits", "open")).isEqualTo(2);
                    assertThat(gauge(registry, "available.permits", "open")).isZero();
                    assertThat(gauge(registry, "max.permits", "narrow")).isEqualTo(3);
                    assertThat(gauge(registry, "available.permits", "narrow")).isEqualTo(2);
                    stage.complete("done");
                    permit.close();
                });
    }

    @Test
    void gaugesTellWhatIsNow() {
        runner.withPropertyValues("group-concurrency.groups.vip.max-concurrency=2")
                .run(context -> {
                    GroupExecutor executor = context.getBean(GroupExecutor.class);
                    MeterRegistry registry = context.getBean(MeterRegistry.class);
                    Gate gate = new Gate();
                    for (String id : new String[] {"1", "2", "3"}) {
                        executor.submit("vip", id, () -> pass(gate));
                    }
                    Deadline.until("two run", () -> executor.stats().running() == 2);

                    assertThat(gauge(registry, "running", "vip")).isEqualTo(2);
                    assertThat(gauge(registry, "oldest.wait", "vip"))
                            .isPositive()
                            .isLessThan(Deadline.SECONDS);
                    assertThat(gauge(registry, "in.flight", "vip")).isEqualTo(2);
                    assertThat(gauge(registry, "queued", "vip")).isEqualTo(1);
                    assertThat(gauge(registry, "available.permits", "vip")).isZero();
                    assertThat(gauge(registry, "global.running", "_all")).isEqualTo(2);
                    assertThat(gauge(registry, "global.in.flight", "_all")).isEqualTo(2);
                    assertThat(gauge(registry, "global.queued", "_all")).isEqualTo(1);
                    gate.open();
                });
    }

    @Test
    void gaugesTellHowCloseGroupsAreToTheirLimitsWhateverTheTag() {
        String patterned = "group-concurrency.groups[tenant-*].";
        for (String tag : List.of("configured", "all", "none")) {
            runner.withPropertyValues(
                            patterned + "max-concurrency=4",
                            patterned + "queue-threshold=10",
                            "group-concurrency.metrics.group-tag=" + tag)
                    .run(context -> {
                        GroupExecutor executor = context.getBean(GroupExecutor.class);
                        Gate gate = new Gate();
                        executor.pause("tenant-b");
                        executor.submit("tenant-b", "waits", () -> pass(gate));
                        executor.submit("tenant-a", "1", () -> pass(gate));
                        executor.submit("tenant-a", "2", () -> pass(gate));
                        executor.submit("tenant-a", "3", () -> pass(gate));
                        gate.awaitArrived(3);
                        MeterRegistry registry = context.getBean(MeterRegistry.class);

                        boolean each = tag.equals("all");
                        String a = each ? "tenant-a" : tag.equals("none") ? "_all" : "tenant-*";
                        Deadline.untilAsserted(() ->
                                assertThat(gauge(registry, "saturation", a)).isEqualTo(0.75));
                        String b = each ? "tenant-b" : a;
                        assertThat(gauge(registry, "groups", a)).isEqualTo(each ? 1 : 2);
                        assertThat(gauge(registry, "waiting", b)).isEqualTo(1);
                        assertThat(gauge(registry, "paused", b)).isEqualTo(1);
                        assertThat(gauge(registry, "queue.fill", b)).isEqualTo(0.1);
                        executor.resume("tenant-b");
                        gate.open();
                    });
        }
    }

    @Test
    void aGaugeTellsHowLongThePermitIsOutThatIsOutLongestWhateverTheTag() {
        for (String tag : List.of("configured", "all", "none")) {
            runner.withPropertyValues(
                            "group-concurrency.groups[tenant-*].max-concurrency=4",
                            "group-concurrency.metrics.group-tag=" + tag)
                    .run(context -> {
                        GroupExecutor executor = context.getBean(GroupExecutor.class);
                        MeterRegistry registry = context.getBean(MeterRegistry.class);
                        GroupPermit lost = executor.acquire("tenant-a");
                        GroupPermit other = executor.acquire("tenant-b");

                        boolean each = tag.equals("all");
                        String a = each ? "tenant-a" : tag.equals("none") ? "_all" : "tenant-*";
                        Duration some = Duration.ofMillis(100);
                        Deadline.until(
                                "the permit has been out for a while",
                                () -> executor.longestHolds().get("tenant-a").compareTo(some) > 0);
                        Deadline.untilAsserted(() ->
                                assertThat(gauge(registry, "longest.hold", a)).isGreaterThan(0.1));
                        Duration known = executor.longestHolds().get("tenant-a");
                        assertThat(gauge(registry, "longest.hold", a))
                                .isLessThanOrEqualTo(known.toNanos() / 1e9)
                                .isLessThan(Deadline.SECONDS);
                        lost.close();
                        other.close();
                        Deadline.untilAsserted(() ->
                                assertThat(gauge(registry, "longest.hold", a)).isZero());
                    });
        }
    }

    @Test
    void withoutTimersNobodyKnowsHowLongPermitsAreOut() {
        runner.withPropertyValues("group-concurrency.metrics.timers=waited").run(context -> {
            context.getBean(GroupExecutor.class).call("a", () -> "used");

            assertThat(context.getBean(MeterRegistry.class)
                            .find("group.executor.longest.hold")
                            .meters())
                    .isEmpty();
        });
    }

    @Test
    @Tag("SH16")
    void gaugesTellWhatIsBorrowedAndWhoWaitsBelowAGuaranteeWhateverTheTag() {
        String patterned = "group-concurrency.groups[tenant-*].";
        for (String tag : List.of("configured", "all", "none")) {
            runner.withPropertyValues(
                            "group-concurrency.global.max-in-flight=4",
                            patterned + "max-concurrency=4",
                            patterned + "guaranteed=1",
                            "group-concurrency.metrics.group-tag=" + tag)
                    .run(context -> {
                        GroupExecutor executor = context.getBean(GroupExecutor.class);
                        Gate gate = new Gate();
                        for (int i = 0; i < 4; i++) {
                            executor.submit("tenant-a", String.valueOf(i), () -> pass(gate));
                        }
                        gate.awaitArrived(4);
                        executor.submit("tenant-b", "waits", () -> pass(gate));
                        executor.submit("tenant-c", "waits", () -> pass(gate));
                        executor.pause("tenant-c");
                        MeterRegistry registry = context.getBean(MeterRegistry.class);

                        boolean each = tag.equals("all");
                        String a = each ? "tenant-a" : tag.equals("none") ? "_all" : "tenant-*";
                        Deadline.untilAsserted(
                                () -> assertThat(gauge(registry, "borrowed", a)).isEqualTo(3));
                        assertThat(gauge(registry, "below.guarantee", each ? "tenant-b" : a))
                                .isEqualTo(1);
                        if (each) {
                            assertThat(gauge(registry, "below.guarantee", "tenant-c"))
                                    .isZero();
                        }
                        executor.resume("tenant-c");
                        gate.open();
                    });
        }
    }

    @Test
    void countersAndTimersTellWhatWas() {
        runner.withPropertyValues("group-concurrency.groups.vip.queue-threshold=0")
                .run(context -> {
                    GroupExecutor executor = context.getBean(GroupExecutor.class);
                    MeterRegistry registry = context.getBean(MeterRegistry.class);
                    executor.submit("vip", "1", () -> null).await(Deadline.SECONDS, TimeUnit.SECONDS);
                    executor.submit("vip", "2", () -> {
                                throw new IllegalStateException("failed");
                            })
                            .await(Deadline.SECONDS, TimeUnit.SECONDS);
                    executor.pause("vip");
                    executor.submit("vip", "3", () -> null);

                    assertThat(counter(registry, "submitted", "vip")).isEqualTo(3);
                    assertThat(counter(registry, "completed", "vip", "outcome", "success"))
                            .isEqualTo(1);
                    assertThat(counter(registry, "completed", "vip", "outcome", "failed"))
                            .isEqualTo(1);
                    assertThat(counter(registry, "completed", "vip", "outcome", "cancelled"))
                            .isZero();
                    assertThat(counter(registry, "rejected", "vip", "reason", "group_queue_full"))
                            .isEqualTo(1);
                    assertThat(registry.get("group.executor.wait")
                                    .tag("group", "vip")
                                    .timer()
                                    .count())
                            .as("what had to wait")
                            .isZero();
                    assertThat(registry.get("group.executor.execution")
                                    .tag("group", "vip")
                                    .timer()
                                    .count())
                            .isEqualTo(2);
                });
    }

    @Test
    void whatIsCancelledInTheQueueHasNoExecutionTime() {
        runner.run(context -> {
            GroupExecutor executor = context.getBean(GroupExecutor.class);
            MeterRegistry registry = context.getBean(MeterRegistry.class);
            executor.pause("g");
            executor.submit("g", "1", () -> null).cancel(true);

            Deadline.untilAsserted(() -> assertThat(counter(registry, "completed", "_default", "outcome", "cancelled"))
                    .isEqualTo(1));
            assertThat(registry.get("group.executor.execution")
                            .tag("group", "_default")
                            .timer()
                            .count())
                    .isZero();
        });
    }

    @Test
    @Tag("K4")
    void theGroupTagIsTheRuleThatTheGroupFallsUnder() {
        runner.withPropertyValues(
                        "group-concurrency.groups.vip.weight=2", "group-concurrency.groups[tenant-*].weight=3")
                .run(context -> {
                    GroupExecutor executor = context.getBean(GroupExecutor.class);
                    MeterRegistry registry = context.getBean(MeterRegistry.class);
                    for (String key : new String[] {"vip", "tenant-a", "tenant-b", "x", "y", "z"}) {
                        executor.submit(key, "1", () -> null).await(Deadline.SECONDS, TimeUnit.SECONDS);
                    }

                    assertThat(counter(registry, "submitted", "vip")).isEqualTo(1);
                    assertThat(counter(registry, "submitted", "tenant-*")).isEqualTo(2);
                    assertThat(counter(registry, "submitted", "_default")).isEqualTo(3);
                    assertThat(groupTags(registry)).containsExactlyInAnyOrder("vip", "tenant-*", "_default", "_all");
                    assertThat(registry.find("group.executor.max.permits")
                                    .tag("group", "tenant-*")
                                    .gauge())
                            .as("permits of a value that names no single group")
                            .isNull();
                });
    }

    @Test
    @Tag("K4")
    void withTheTagAllTheFirstGroupsHaveTheirOwnAndTheOthersShareOne() {
        runner.withPropertyValues(
                        "group-concurrency.metrics.group-tag=all", "group-concurrency.metrics.max-tag-values=2")
                .run(context -> {
                    GroupExecutor executor = context.getBean(GroupExecutor.class);
                    MeterRegistry registry = context.getBean(MeterRegistry.class);
                    for (String key : new String[] {"a", "b", "c", "d"}) {
                        executor.submit(key, "1", () -> null).await(Deadline.SECONDS, TimeUnit.SECONDS);
                    }
                    assertThat(groupTags(registry)).containsExactlyInAnyOrder("a", "b", "_other", "_all");
                    assertThat(counter(registry, "submitted", "_other")).isEqualTo(2);
                    assertThat(gauge(registry, "max.permits", "a")).isEqualTo(1);

                    executor.evictGroup("a");
                    executor.submit("e", "1", () -> null).await(Deadline.SECONDS, TimeUnit.SECONDS);

                    assertThat(groupTags(registry))
                            .as("a place is kept, so that meters don't come and go")
                            .containsExactlyInAnyOrder("a", "b", "_other", "_all");
                });
    }

    @Test
    void aRegistryThatRefusesAMeterTakesNothingFromTheOthers() {
        runner.withPropertyValues("group-concurrency.metrics.group-tag=all")
                .withBean(MeterFilter.class, () -> new MeterFilter() {
                    @Override
                    public Meter.Id map(Meter.Id id) {
                        if ("bad".equals(id.getTag("group"))) {
                            throw new IllegalStateException("refused");
                        }
                        return id;
                    }
                })
                .run(context -> {
                    GroupExecutor executor = context.getBean(GroupExecutor.class);
                    MeterRegistry registry = context.getBean(MeterRegistry.class);
                    executor.call("bad", () -> "done");
                    executor.call("later", () -> "done");

                    assertThat(counter(registry, "submitted", "later")).isEqualTo(1);
                    assertThat(groupTags(registry)).doesNotContain("bad");
                });
    }

    @Test
    void aRegistryThatRefusesAGaugeOfAllGroupsTakesNothingFromTheGroups() {
        runner.withPropertyValues("group-concurrency.metrics.group-tag=all", "group-concurrency.groups.a.rate=9 per 1s")
                .withBean(MeterFilter.class, () -> refusing("group.executor.global.rate.remembered"))
                .run(context -> {
                    GroupExecutor executor = context.getBean(GroupExecutor.class);
                    MeterRegistry registry = context.getBean(MeterRegistry.class);
                    executor.call("a", () -> "done");
                    executor.call("later", () -> "done");

                    assertThat(counter(registry, "submitted", "a")).isEqualTo(1);
                    assertThat(counter(registry, "submitted", "later")).isEqualTo(1);
                });
    }

    @Test
    void onlyTheMeterThatARegistryRefusesIsMissing() {
        Set<String> all = namesUnlessRefused("none");
        for (String refused : List.of(
                "executor.running",
                "executor.longest.hold",
                "executor.submitted",
                "executor.wait",
                "executor.max.permits",
                "executor.rate.used",
                "executor.global.running",
                "executor.global.max.permits",
                "cluster.nodes",
                "cluster.lease.remaining",
                "cluster.exchange",
                "cluster.failures",
                "scope.active",
                "scope.forks",
                "scope.timeouts",
                "scope.duration")) {
            String name = "group." + refused;
            Set<String> others =
                    all.stream().filter(other -> !other.equals(name)).collect(Collectors.toSet());

            assertThat(all).contains(name);
            assertThat(namesUnlessRefused(name)).as(refused).isEqualTo(others);
        }
    }

    @Test
    void aRegistryIsNotAskedAtEachReadingForAMeterThatItRefuses() {
        AtomicInteger asked = new AtomicInteger();
        runner.withUserConfiguration(EachReadingAnew.class)
                .withPropertyValues("group-concurrency.groups.vip.max-concurrency=8")
                .withBean(MeterFilter.class, () -> new MeterFilter() {
                    @Override
                    public Meter.Id map(Meter.Id id) {
                        if (id.getName().endsWith(".permits")) {
                            asked.incrementAndGet();
                            throw new IllegalStateException("refused");
                        }
                        return id;
                    }
                })
                .run(context -> {
                    context.getBean(GroupExecutor.class).call("vip", () -> "done");
                    int first = asked.get();
                    for (int reading = 0; reading < 3; reading++) {
                        assertThat(gauge(context.getBean(MeterRegistry.class), "running", "vip"))
                                .isZero();
                    }

                    assertThat(asked).hasPositiveValue().hasValue(first);
                });
    }

    private Set<String> namesUnlessRefused(String refused) {
        Set<String> names = new HashSet<>();
        runner.withPropertyValues(
                        "group-concurrency.global.max-in-flight=50",
                        "group-concurrency.groups.vip.rate=9 per 1s",
                        "group-concurrency.groups.any.cluster-max-in-flight=5",
                        "group-concurrency.cluster.on-store-loss=closed")
                .withBean(ClusterStore.class, ClusterStore::inMemory)
                .withBean(MeterFilter.class, () -> refusing(refused))
                .run(context -> {
                    context.getBean(GroupExecutor.class).call("vip", () -> "done");
                    context.getBean(MeterRegistry.class)
                            .getMeters()
                            .forEach(meter -> names.add(meter.getId().getName()));
                });
        names.removeIf(name -> !name.startsWith("group."));
        return names;
    }

    private static MeterFilter refusing(String name) {
        return new MeterFilter() {
            @Override
            public Meter.Id map(Meter.Id id) {
                if (id.getName().equals(name)) {
                    throw new IllegalStateException("refused");
                }
                return id;
            }
        };
    }

    @Test
    void eachWaitIsRecordedOnceAlsoIfAnotherMeterOfTheGroupIsRefused() {
        for (String refused : List.of("group.executor.longest.hold", "group.executor.execution")) {
            runner.withPropertyValues("group-concurrency.groups.vip.max-concurrency=1")
                    .withBean(MeterFilter.class, () -> refusing(refused))
                    .run(context -> {
                        GroupExecutor executor = context.getBean(GroupExecutor.class);
                        MeterRegistry registry = context.getBean(MeterRegistry.class);
                        executor.call("vip", () -> "done");
                        GroupRecorder.Factory ours =
                                executor.policy().recorderFactory().orElseThrow();
                        executor.updatePolicy(GroupPolicy.builder()
                                .group("vip", GroupLimits.unset().withMaxConcurrency(2))
                                .recorderFactory(ours)
                                .build());
                        executor.call("seen", () -> "done");

                        executor.pause("vip");
                        TaskHandle<String> waits = executor.submit("vip", "1", () -> "done");
                        executor.resume("vip");
                        waits.await(Deadline.SECONDS, TimeUnit.SECONDS);
                        assertThat(registry.get("group.executor.wait")
                                        .tag("group", "vip")
                                        .timer()
                                        .count())
                                .as(refused)
                                .isEqualTo(1);

                        executor.updatePolicy(
                                GroupPolicy.builder().recorderFactory(ours).build());
                        executor.call("seen too", () -> "done");
                        assertThat(groupTags(registry)).as(refused).doesNotContain("vip");
                    });
        }
    }

    @Test
    void aPlaceThatARefreshFreesIsThereForTheRulesOfThatRefresh() {
        runner.withPropertyValues(
                        "group-concurrency.metrics.max-tag-values=1", "group-concurrency.groups.a.max-concurrency=1")
                .run(context -> {
                    GroupExecutor executor = context.getBean(GroupExecutor.class);
                    MeterRegistry registry = context.getBean(MeterRegistry.class);
                    executor.call("a", () -> "done");
                    executor.call("b", () -> "done");
                    assertThat(groupTags(registry)).contains("a").doesNotContain("b");

                    GroupLimits two = GroupLimits.unset().withMaxConcurrency(2);
                    executor.updatePolicy(GroupPolicy.builder()
                            .group("b", two)
                            .recorderFactory(executor.policy().recorderFactory().orElseThrow())
                            .build());
                    executor.call("b", () -> "done");

                    assertThat(groupTags(registry)).contains("b").doesNotContain("a");
                    assertThat(gauge(registry, "max.permits", "b")).isEqualTo(2);
                });
    }

    @Test
    void withTheTagNoneAllGroupsShareOne() {
        runner.withPropertyValues("group-concurrency.metrics.group-tag=none").run(context -> {
            GroupExecutor executor = context.getBean(GroupExecutor.class);
            MeterRegistry registry = context.getBean(MeterRegistry.class);
            executor.submit("a", "1", () -> null).await(Deadline.SECONDS, TimeUnit.SECONDS);
            executor.submit("b", "1", () -> null).await(Deadline.SECONDS, TimeUnit.SECONDS);

            assertThat(groupTags(registry)).containsExactly("_all");
            assertThat(counter(registry, "submitted", "_all")).isEqualTo(2);
        });
    }

    @Test
    void everyMeterHasADescriptionABaseUnitAndBothTags() {
        runner.run(context -> assertThat(ours(context.getBean(MeterRegistry.class)))
                .isNotEmpty()
                .allSatisfy(meter -> {
                    assertThat(meter.getId().getDescription()).isNotBlank();
                    assertThat(meter.getId().getBaseUnit()).isNotBlank();
                    assertThat(meter.getId().getTag("executor")).isEqualTo("groupExecutor");
                    assertThat(meter.getId().getTag("group")).isNotBlank();
                }));
    }

    @Test
    void whereThereIsNoLimitThereIsNoGaugeOfIt() {
        runner.withPropertyValues("group-concurrency.groups.free.max-concurrency=2147483647")
                .run(context -> {
                    MeterRegistry registry = context.getBean(MeterRegistry.class);
                    assertThat(registry.find("group.executor.max.permits").gauges())
                            .isEmpty();
                    assertThat(registry.find("group.executor.global.max.permits")
                                    .gauges())
                            .isEmpty();
                });
    }

    @Test
    void anExecutorOfTheApplicationsOwnHasGaugesAndCountersAndNoTimers() {
        runner.withBean(
                        "mine",
                        GroupExecutor.class,
                        () -> GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder()
                                .group("vip", GroupLimits.unset().withMaxConcurrency(5))
                                .build()))
                .run(context -> {
                    MeterRegistry registry = context.getBean(MeterRegistry.class);
                    context.getBean(GroupExecutor.class).call("vip", () -> "done");
                    assertThat(registry.get("group.executor.global.running")
                                    .gauge()
                                    .value())
                            .as("what is used is found at the first reading")
                            .isZero();

                    assertThat(registry.get("group.executor.max.permits")
                                    .tags("executor", "mine", "group", "vip")
                                    .gauge()
                                    .value())
                            .isEqualTo(5);
                    assertThat(registry.get("group.executor.submitted")
                                    .tags("executor", "mine", "group", "vip")
                                    .functionCounter()
                                    .count())
                            .isEqualTo(1);
                    assertThat(registry.find("group.executor.longest.hold").meters())
                            .isNotEmpty();
                    assertThat(ours(registry)).noneMatch(Timer.class::isInstance);
                });
    }

    @Test
    void anExecutorOfTheApplicationsOwnHasGaugesOfItsLiveGroupsToo() {
        runner.withUserConfiguration(EachReadingAnew.class)
                .withPropertyValues(
                        "group-concurrency.metrics.group-tag=all", "group-concurrency.metrics.max-tag-values=2")
                .withBean(
                        "mine",
                        GroupExecutor.class,
                        () -> GroupExecutor.newVirtualThreadExecutor(
                                GroupPolicy.builder().build()))
                .run(context -> {
                    MeterRegistry registry = context.getBean(MeterRegistry.class);
                    GroupExecutor executor = context.getBean(GroupExecutor.class);
                    for (String key : new String[] {"a", "b", "c"}) {
                        executor.call(key, () -> "done");
                    }
                    assertThat(registry.get("group.executor.global.running")
                                    .gauge()
                                    .value())
                            .isZero();

                    assertThat(groupTags(registry)).hasSize(4).contains("_all", "_other");
                });
    }

    @Test
    void aGroupFirstSeenWhileNobodyRecordsHasTimersAndCountersOnceItIsRecorded() {
        runner.withUserConfiguration(EachReadingAnew.class)
                .withPropertyValues("group-concurrency.metrics.group-tag=all")
                .run(context -> {
                    GroupExecutor executor = context.getBean(GroupExecutor.class);
                    MeterRegistry registry = context.getBean(MeterRegistry.class);
                    GroupPolicy recorded = executor.policy();
                    executor.updatePolicy(GroupPolicy.builder().build());
                    executor.call("b", () -> "done");
                    assertThat(gauge(registry, "global.running", "_all")).isZero();
                    assertThat(groupTags(registry)).contains("b");

                    for (int calls = 1; calls <= 2; calls++) {
                        executor.updatePolicy(recorded.toBuilder()
                                .defaults(GroupLimits.unset().withMaxConcurrency(calls))
                                .build());
                        executor.call("b", () -> "done");

                        int recordedCalls = calls;
                        Deadline.untilAsserted(() -> {
                            assertThat(registry.get("group.executor.execution")
                                            .tag("group", "b")
                                            .timer()
                                            .count())
                                    .isEqualTo(recordedCalls);
                            assertThat(counter(registry, "submitted", "b")).isEqualTo(recordedCalls);
                        });
                    }
                });
    }

    @Test
    void callsOnTheCallersThreadCountToo() {
        runner.run(context -> {
            GroupExecutor executor = context.getBean(GroupExecutor.class);
            executor.call("g", Duration.ZERO, () -> "done");

            assertThat(counter(context.getBean(MeterRegistry.class), "completed", "_default", "outcome", "success"))
                    .isEqualTo(1);
        });
    }

    @Test
    void withLazyInitializationTheMetersAreThereWithTheRegistry() {
        runner.withInitializer(context ->
                        context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
                .run(context ->
                        assertThat(ours(context.getBean(MeterRegistry.class))).isNotEmpty());
    }

    @Test
    void metersCanBeSwitchedOff() {
        runner.withPropertyValues("group-concurrency.metrics.enabled=false").run(context -> {
            assertThat(context).doesNotHaveBean(ExecutorMeters.class).doesNotHaveBean(GroupExecutorMeterBinder.class);
            assertThat(context.getBean(GroupExecutor.class).policy().recorderFactory())
                    .isEmpty();
        });
    }

    @Test
    void timersAreThoseThatTheSettingsAskFor() {
        for (String timers : new String[] {"all", "waited", "none"}) {
            runner.withPropertyValues("group-concurrency.metrics.timers=" + timers)
                    .run(context -> {
                        GroupExecutor executor = context.getBean(GroupExecutor.class);
                        executor.pause("g");
                        TaskHandle<String> waits = executor.submit("g", "1", () -> "done");
                        executor.resume("g");
                        waits.await(Deadline.SECONDS, TimeUnit.SECONDS);
                        assertThat(executor.awaitQuiet(Deadline.LONG)).isTrue();

                        MeterRegistry registry = context.getBean(MeterRegistry.class);
                        assertThat(registry.find("group.executor.wait").timers())
                                .hasSize(timers.equals("none") ? 0 : 1)
                                .allMatch(timer -> timer.count() == 1);
                        assertThat(registry.find("group.executor.execution").timers())
                                .hasSize(timers.equals("all") ? 1 : 0);
                        Deadline.untilAsserted(() -> assertThat(registry.find("group.executor.execution")
                                        .timers())
                                .allMatch(timer -> timer.count() == 1));
                        assertThat(counter(registry, "submitted", "_default")).isEqualTo(1);
                    });
        }
    }

    @Test
    void aRecorderOfTheApplicationsOwnTakesThePlaceOfTheTimersAndLeavesTheRest() {
        AtomicInteger ended = new AtomicInteger();
        GroupRecorder recorder = new GroupRecorder() {
            @Override
            public void completed(TaskStatus status, long nanos) {
                ended.incrementAndGet();
            }
        };
        runner.withBean(GroupPolicyCustomizer.class, () -> policy -> policy.recorderFactory((key, rule) -> recorder))
                .run(context -> {
                    context.getBean(GroupExecutor.class).call("g", () -> "done");

                    MeterRegistry registry = context.getBean(MeterRegistry.class);
                    assertThat(ended).hasValue(1);
                    assertThat(counter(registry, "submitted", "_default")).isEqualTo(1);
                    assertThat(gauge(registry, "longest.hold", "_default")).isZero();
                    assertThat(ours(registry)).noneMatch(Timer.class::isInstance);
                });
    }

    @Test
    void executorsOfOneContextHaveTheirOwnMeters() {
        runner.withUserConfiguration(TwoExecutors.class).run(context -> {
            MeterRegistry registry = context.getBean(MeterRegistry.class);
            context.getBean("one", GroupExecutor.class).call("g", () -> "done");
            context.getBean("two", GroupExecutor.class).call("g", () -> "done");
            context.getBean("two", GroupExecutor.class).call("g", () -> "done");

            assertThat(registry.get("group.executor.submitted")
                            .tags("executor", "one", "group", "_default")
                            .functionCounter()
                            .count())
                    .isEqualTo(1);
            assertThat(registry.get("group.executor.submitted")
                            .tags("executor", "two", "group", "_default")
                            .functionCounter()
                            .count())
                    .isEqualTo(2);
            assertThat(registry.get("group.executor.execution")
                            .tags("executor", "two", "group", "_default")
                            .timer()
                            .count())
                    .as("of one that the starter's builder has made")
                    .isEqualTo(2);
        });
    }

    @Configuration(proxyBeanMethods = false)
    static class TwoExecutors {

        @Bean
        GroupExecutor one() {
            return GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder().build());
        }

        @Bean(defaultCandidate = false)
        GroupExecutor two(GroupExecutorBuilder builder) {
            return builder.build("two", GroupPolicy.builder().build());
        }
    }

    @Test
    void executorsOfAParentContextHaveTheirMeters() {
        GroupExecutor parents =
                GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder().build());
        try (GenericApplicationContext parent = new GenericApplicationContext()) {
            parent.registerBean("parents", GroupExecutor.class, () -> parents);
            parent.refresh();
            runner.withParent(parent).run(context -> {
                parents.call("g", () -> "done");
                assertThat(context.getBean(MeterRegistry.class)
                                .get("group.executor.submitted")
                                .tags("executor", "parents", "group", "_default")
                                .functionCounter()
                                .count())
                        .isEqualTo(1);
            });
        }
    }

    @Test
    void eachOfSeveralRegistriesHasAllMeters() {
        SimpleMeterRegistry first = new SimpleMeterRegistry();
        SimpleMeterRegistry second = new SimpleMeterRegistry();
        runner.withBean("first", MeterRegistry.class, () -> first)
                .withBean("second", MeterRegistry.class, () -> second)
                .run(context -> {
                    context.getBean(GroupExecutor.class).call("g", () -> "done");

                    for (MeterRegistry registry : List.of(first, second)) {
                        assertThat(counter(registry, "submitted", "_default")).isEqualTo(1);
                        assertThat(registry.get("group.executor.execution")
                                        .timer()
                                        .count())
                                .isEqualTo(1);
                    }
                });
    }

    @Test
    void withoutMicrometerTheApplicationStarts() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        GroupConcurrencyAutoConfiguration.class, GroupConcurrencyMetricsAutoConfiguration.class))
                .withClassLoader(new FilteredClassLoader("io.micrometer"))
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .hasSingleBean(GroupExecutor.class)
                        .doesNotHaveBean("groupConcurrencyExecutorMeters"));
    }

    @Test
    void withoutARegistryThereAreNoMeters() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        GroupConcurrencyAutoConfiguration.class, GroupConcurrencyMetricsAutoConfiguration.class))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(ExecutorMeters.class));
    }

    private static Object pass(Gate gate) throws InterruptedException {
        gate.pass();
        return null;
    }

    private static double gauge(MeterRegistry registry, String name, String group) {
        return registry.get("group.executor." + name)
                .tags("executor", "groupExecutor", "group", group)
                .gauge()
                .value();
    }

    private static double counter(MeterRegistry registry, String name, String group, String... tags) {
        return registry.get("group.executor." + name)
                .tags("executor", "groupExecutor", "group", group)
                .tags(tags)
                .functionCounter()
                .count();
    }

    private static Set<String> groupTags(MeterRegistry registry) {
        return ours(registry).stream()
                .map(meter -> meter.getId().getTag("group"))
                .collect(Collectors.toSet());
    }

    private static Set<Meter> ours(MeterRegistry registry) {
        return registry.getMeters().stream()
                .filter(meter -> meter.getId().getName().startsWith("group.executor."))
                .collect(Collectors.toSet());
    }
}
