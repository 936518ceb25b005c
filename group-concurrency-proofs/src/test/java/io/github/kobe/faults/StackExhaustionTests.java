package io.github.kobe.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import io.github.kobe.audit.Engines;
import io.github.kobe.testing.ChildProcess;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Depth;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A thread recurses to the end of its stack and uses the executor at every depth on its way, so that the stack ends at
 * every point inside the engine. What must hold holds afterwards: the audit fills every group to its limit.
 */
@Tag("E16")
@SuppressWarnings({"InfiniteRecursion", "FutureReturnValueIgnored"}) // as meant
class StackExhaustionTests {

    private static final int STACK_BYTES = 200 << 10;

    /** Frames of another size each, so that the stack ends elsewhere. */
    private static final int ROUNDS = Depth.pick(1, 4, 6);

    /** What a short build takes with all limits; the other uses are made of these. */
    private static final Set<Ways> THOROUGH = EnumSet.of(
            Ways.SUBMIT,
            Ways.SUBMIT_AND_CANCEL,
            Ways.SUBMIT_A_STAGE,
            Ways.TRY_NOW,
            Ways.ACQUIRE_LATER,
            Ways.PAUSE_AND_SUBMIT,
            Ways.VIEW_SUBMIT_AND_CANCEL,
            Ways.CALL,
            Ways.ACQUIRE,
            Ways.NESTED_CALL,
            Ways.CALL_THAT_LENDS,
            Ways.CALL_BEFORE_OTHERS);

    @RegisterExtension
    final Engines engines = new Engines();

    private static GroupPolicy wide() {
        return GroupPolicy.builder().defaultMaxConcurrencyPerGroup(1_000).build();
    }

    private static GroupPolicy narrow() {
        return GroupPolicy.builder().defaultMaxConcurrencyPerGroup(2).build();
    }

    private static GroupPolicy global() {
        return narrow().toBuilder().globalMaxInFlight(3).build();
    }

    static List<GroupPolicy> policies() {
        return List.of(wide(), narrow(), global());
    }

    static Stream<Arguments> usesAndPolicies() {
        return Ways.uses()
                .filter(way -> !way.is(Ways.Trait.LAST))
                .flatMap(way -> policies().stream()
                        .skip(THOROUGH.contains(way) ? 0 : Depth.pick(2, 0, 0))
                        .map(policy -> arguments(way, policy)));
    }

    @ParameterizedTest(name = "{0}, {1}")
    @MethodSource("usesAndPolicies")
    @Tag("P10")
    void theEndOfTheStackLeavesNothingLockedOrLost(Ways way, GroupPolicy policy) throws Exception {
        Site site = new Site(engines.startPlain(policy));

        for (int round = 0; round < ROUNDS; round++) {
            int pad = round;
            onShortStack(() -> enter(pad, site, way.use));
        }

        site.end();
    }

    @ParameterizedTest(name = "limits {0}")
    @MethodSource("policies")
    @Tag("P10")
    void aRecursionThroughCallsGivesAllBack(GroupPolicy policy) throws Exception {
        GroupExecutor executor = engines.startPlain(policy);

        onShortStack(() -> callDeeper(executor, 0));
    }

    @ParameterizedTest(name = "limits {0}")
    @MethodSource("policies")
    @Tag("P10")
    void aRecursionThroughPermitsGivesAllBack(GroupPolicy policy) throws Exception {
        GroupExecutor executor = engines.startPlain(policy);

        onShortStack(() -> shareDeeper(executor, 0));
    }

    /** The permit was taken with much stack left, and is used where there is hardly any. */
    enum Under {
        CALL {
            @Override
            void use(GroupPermit permit) throws Exception {
                Object unused = permit.call(() -> "done");
            }
        },
        ASK {
            @Override
            void use(GroupPermit permit) {
                permit.acquireAsync("h").toCompletableFuture().thenAccept(GroupPermit::close);
            }
        },
        ASK_AGAIN {
            @Override
            void use(GroupPermit permit) {
                permit.acquireAsync("g").toCompletableFuture().thenAccept(GroupPermit::close);
            }
        };

        abstract void use(GroupPermit permit) throws Exception;
    }

    static Stream<Arguments> underPermits() {
        return Stream.of(Under.values()).flatMap(under -> policies().stream().map(policy -> arguments(under, policy)));
    }

    @ParameterizedTest(name = "{0}, {1}")
    @MethodSource("underPermits")
    @Tag("P10")
    void whatIsDoneUnderAPermitAtTheEndOfTheStackKeepsItNoLonger(Under under, GroupPolicy policy) throws Exception {
        GroupExecutor executor = engines.startPlain(policy);
        GroupPermit permit = executor.acquire("g");

        for (int round = 0; round < ROUNDS; round++) {
            int pad = round;
            onShortStack(() -> useDeeper(pad, permit, under));
        }

        permit.close();
        Deadline.until(
                () -> "all is back: " + executor.stats(), () -> executor.stats().inFlight() == 0);
    }

    private static Object useDeeper(int pad, GroupPermit permit, Under under) throws Exception {
        return pad == 0 ? useDeeper(permit, under) : useDeeper(pad - 1, permit, under);
    }

    private static Object useDeeper(GroupPermit permit, Under under) throws Exception {
        try {
            under.use(permit);
        } catch (StackOverflowError tooDeep) {
            // one more frame may fit
        }
        return useDeeper(permit, under);
    }

    /** In a JVM of its own: of many calls the first are interpreted, and the last compiled in haste. */
    @Test
    void theLeastStackThatIsPromisedIsEnoughForAShallowCall() throws Exception {
        ChildProcess.Ended ended =
                ChildProcess.java(List.of(), ShallowCalls.class, List.of()).run(Deadline.LONG.multipliedBy(3));

        assertThat(ended.output()).contains("all went through");
    }

    /** Calls on a thread with the least stack that the Javadoc of GroupExecutor asks for. */
    static final class ShallowCalls {

        private static final int CALLS = 100_000;

        public static void main(String[] args) throws Exception {
            try (GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(global())) {
                Thread caller = new Thread(null, () -> calls(executor), "small", 256 << 10);
                caller.start();
                caller.join(Deadline.LONG.multipliedBy(3));
            }
        }

        private static void calls(GroupExecutor executor) {
            try {
                for (int i = 0; i < CALLS; i++) {
                    executor.call("g", () -> executor.call("h", () -> "done"));
                    if (i % 100 == 0) {
                        executor.submit("g", "task", () -> "done").await();
                    }
                }
                System.out.println("all went through");
            } catch (Throwable failure) {
                System.out.println("failed with " + failure);
            }
        }
    }

    private static Object callDeeper(GroupExecutor executor, int depth) throws Exception {
        return executor.call(depth % 3 == 0 ? "g" : "h", () -> callDeeper(executor, depth + 1));
    }

    private static Object shareDeeper(GroupExecutor executor, int depth) throws Exception {
        String key = depth % 3 == 0 ? "g" : "h";
        return executor.call(key, () -> {
            try (GroupPermit permit = executor.enclosingPermit(key).orElseThrow()) {
                assertThat(permit).isNotNull();
                return shareDeeper(executor, depth + 1);
            }
        });
    }

    private static void onShortStack(Callable<?> work) throws Exception {
        CompletableFuture<Object> end = new CompletableFuture<>();
        new Thread(
                        null,
                        () -> {
                            try {
                                end.complete(work.call());
                            } catch (StackOverflowError meant) {
                                end.complete(meant);
                            } catch (Throwable failure) {
                                end.completeExceptionally(failure);
                            }
                        },
                        "deep",
                        STACK_BYTES)
                .start();
        Deadline.within(end::get);
    }

    /** Puts the frames below it a few bytes further down with each pad. */
    private static Object enter(int pad, Site site, Ways.Use use) {
        return pad == 0 ? descend(site, use) : enter(pad - 1, site, use);
    }

    private static Object descend(Site site, Ways.Use use) {
        try {
            use.at(site);
        } catch (StackOverflowError tooDeep) {
            // one more frame may fit
        } catch (Exception e) {
            throw new AssertionError(e);
        }
        return descend(site, use);
    }
}
