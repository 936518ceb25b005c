package io.github.kobe.rollout.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.rollout.DeployUnit;
import io.github.kobe.rollout.PlanId;
import io.github.kobe.rollout.PlanStatus;
import io.github.kobe.rollout.RolloutPlan;
import io.github.kobe.rollout.Rollouts;
import io.github.kobe.rollout.Stage;
import io.github.kobe.rollout.TaskOperationException;
import io.github.kobe.rollout.TenantChange;
import io.github.kobe.rollout.internal.rules.PlanStore;
import io.github.kobe.rollout.internal.rules.StoreTransaction;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.jdbc.core.JdbcTemplate;

/** Two transactions that want the same tenants, in plans of opposite order. */
class LockOrderTests {

    /** Both are within their transactions before one of them has a tenant. */
    private final CyclicBarrier begun = new CyclicBarrier(2);

    private final List<Thread> people = new CopyOnWriteArrayList<>();
    private final AtomicInteger wanting = new AtomicInteger();
    private final AtomicInteger having = new AtomicInteger();
    private final List<Thread> attempts = new CopyOnWriteArrayList<>();

    /** Whether one of them waits for a tenant that the other one has. */
    private BooleanSupplier isHeldUp;

    @ParameterizedTest
    @MethodSource("io.github.kobe.rollout.jdbc.TestDatabase$Product#ofThisDepth")
    @Tag("R121")
    void whoWantsTenantsThatAnotherWantsTooWaitsForNobodyWhoWaitsForHim(TestDatabase.Product product) throws Exception {
        try (TestDatabase database = product.open();
                GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(
                        GroupPolicy.builder().build());
                Rollouts rollouts = Rollouts.builder(executor)
                        .store(watched(
                                JdbcRolloutStore.of(database.dataSource()).plans()))
                        .stages(Stage.named("A").step(ctx -> {
                            throw new IllegalStateException("broken");
                        }))
                        .build()) {
            isHeldUp = product == TestDatabase.Product.H2
                    ? () -> people.stream().allMatch(this::isSelfOrWaits)
                    : () -> waitsForALock(database);
            List<PlanId> plans = List.of(failed(rollouts, "plan-1", "a", "b"), failed(rollouts, "plan-2", "b", "a"));

            List<Caller<Boolean>> callers = plans.stream()
                    .map(planId -> Caller.start(() -> isAccepted(rollouts, planId)))
                    .toList();
            assertThat(callers.getFirst().result())
                    .as("the other plan came later")
                    .isFalse();
            assertThat(callers.getLast().result()).isTrue();

            assertThat(attempts).as("none was begun again").hasSize(2).doesNotHaveDuplicates();
            rollouts.await(plans.getLast(), Deadline.LONG);
        }
    }

    private static PlanId failed(Rollouts rollouts, String id, String... tenants) throws InterruptedException {
        RolloutPlan.Builder plan = RolloutPlan.named(id);
        for (String tenant : tenants) {
            plan.add(TenantChange.of(tenant, DeployUnit.of(7, 42, "blue"), "{}"));
        }
        PlanId planId = rollouts.start(plan.build()).planId();
        assertThat(rollouts.await(planId, Deadline.LONG).status()).isEqualTo(PlanStatus.PARTIAL_FAILED);
        return planId;
    }

    private boolean isAccepted(Rollouts rollouts, PlanId planId) {
        people.add(Thread.currentThread());
        try {
            rollouts.retry(planId, true);
            return true;
        } catch (TaskOperationException refused) {
            return false;
        }
    }

    /** The same store, which stops people at the begin of a transaction and at the first tenant that they have in it. */
    private PlanStore watched(PlanStore store) {
        return (PlanStore) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {PlanStore.class}, (proxy, method, arguments) -> {
                    boolean isWatched = method.getName().equals("transact") && people.contains(Thread.currentThread());
                    return call(store, method, isWatched ? new Object[] {watched(arguments[0])} : arguments);
                });
    }

    @SuppressWarnings("unchecked")
    private Function<StoreTransaction, Object> watched(Object work) {
        return transaction -> {
            attempts.add(Thread.currentThread());
            if (attempts.size() <= 2) {
                meet();
            }
            AtomicBoolean first = new AtomicBoolean(true);
            return ((Function<StoreTransaction, Object>) work).apply((StoreTransaction) Proxy.newProxyInstance(
                    getClass().getClassLoader(),
                    new Class<?>[] {StoreTransaction.class},
                    (proxy, method, arguments) -> {
                        boolean locks = method.getName().equals("tenant")
                                || method.getName().equals("lock");
                        if (!locks || !first.getAndSet(false)) {
                            return call(transaction, method, arguments);
                        }
                        wanting.incrementAndGet();
                        Object result = call(transaction, method, arguments);
                        having.incrementAndGet();
                        Deadline.until("the other one has a tenant, or waits for one", this::isOtherThere);
                        return result;
                    }));
        };
    }

    private boolean isOtherThere() {
        return having.get() >= 2 || (wanting.get() >= 2 && isHeldUp.getAsBoolean());
    }

    /** Of PostgreSQL a thread that waits may also wait for an answer. */
    private static boolean waitsForALock(TestDatabase database) {
        return Boolean.TRUE.equals(new JdbcTemplate(database.dataSource())
                .queryForObject("select exists (select from pg_locks where not granted)", Boolean.class));
    }

    private boolean isSelfOrWaits(Thread thread) {
        return thread.equals(Thread.currentThread()) || thread.getState() != Thread.State.RUNNABLE;
    }

    private static Object call(Object target, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private void meet() {
        try {
            begun.await(Deadline.SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException | BrokenBarrierException | TimeoutException e) {
            throw new AssertionError(e);
        }
    }
}
