package io.github.kobe.faults;

import static io.github.kobe.faults.Ways.Trait.*;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupTask;
import io.github.kobe.TaskHandle;
import io.github.kobe.audit.Forks;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * All ways on which work gets into an executor, waits there, and gets out. Each fault is put into each of them, so a new
 * method of the API meets every fault by one more entry here.
 *
 * <p>A use is one thing that one thread does, and may wait in. It is taken when its group is free, and then behind
 * another; and those faults that need a single thread take it in their own manner. A story takes several steps.
 */
@SuppressWarnings({"ImmutableEnumChecker", "FutureReturnValueIgnored"}) // lambdas; a site keeps what has to end
public enum Ways implements Way {

    // ---------------------------------------------------------------- uses that don't wait
    SUBMIT(s -> s.submitted("a")),
    SUBMIT_A_TASK(s -> s.keep(s.executor().submit(new GroupTask<>(s.key("a"), s.id(), s.code())))),
    SUBMIT_AND_CANCEL(s -> s.submitted("a").cancel(true)),
    SUBMIT_A_STAGE(
            s -> s.keep(s.executor().submitAsync(s.key("a"), s.id(), () -> CompletableFuture.completedFuture("done")))),
    TRY_NOW(s -> {
        s.executor().tryAcquire(s.key("a"), Duration.ZERO).ifPresent(s::close);
        return null;
    }),
    ACQUIRE_LATER(s -> s.asked("a")),
    TRY_UNBOUND_NOW(s -> {
        s.executor().tryAcquire(s.key("a"), Duration.ZERO).ifPresent(s::close);
        return null;
    }),
    ACQUIRE_LATER_WITHIN(s ->
            s.keep(s.executor().acquireAsync(s.key("a"), s.id(), Deadline.LONG).toCompletableFuture())),
    PAUSE_AND_SUBMIT(s -> {
        s.executor().pause(s.key(Ways.PAUSED_KEY));
        return s.submitted(Ways.PAUSED_KEY);
    }),
    VIEW_EXECUTE(s -> {
        try {
            s.view("a").execute(() -> {});
        } catch (RejectedExecutionException unbegun) {
            // A command that can't begin is refused, as that of a view that is shut down.
        }
        return null;
    }),
    VIEW_SUBMIT_AND_CANCEL(s -> s.view("a").submit(s.code()).cancel(true)),

    // ---------------------------------------------------------------- uses that wait
    AWAIT(s -> s.submitted("a").await().value(), WAITS),
    TIMED_AWAIT(s -> s.submitted("a").await(Deadline.SECONDS, TimeUnit.SECONDS).value(), WAITS),
    JOIN(s -> s.submitted("a").join().value(), WAITS, KEEPS_THE_FLAG),
    TIMED_JOIN(s -> s.submitted("a").join(Deadline.SECONDS, TimeUnit.SECONDS).value(), WAITS, KEEPS_THE_FLAG),
    FUTURE_GET(s -> s.submitted("a").toCompletableFuture().get().value(), WAITS),
    CALL(s -> s.executor().call(s.key("a"), s.code()), WAITS),
    TIMED_CALL(s -> s.executor().call(s.key("a"), Deadline.LONG, s.code()), WAITS),
    NAMED_CALL(s -> s.executor().call(s.key("a"), s.id(), Deadline.LONG, s.code()), WAITS),
    ACQUIRE(s -> s.with(s.executor().acquire(s.key("a")), s.code()), WAITS),
    TRY_ACQUIRE(s -> s.with(s.executor().tryAcquire(s.key("a"), Deadline.LONG).orElseThrow(), s.code()), WAITS),
    ACQUIRE_LATER_GET(s -> s.with(s.asked("a").get(), s.code()), WAITS),
    ENCLOSING_PERMIT(
            s -> s.executor()
                    .call(
                            s.key("a"),
                            () -> s.with(
                                    s.executor().enclosingPermit(s.key("a")).orElseThrow(), s.code())),
            WAITS),
    ENCLOSING_PERMIT_UNDER_A_PERMIT(
            s -> s.under(
                    "a",
                    permit -> permit.call(() ->
                            s.with(s.executor().enclosingPermit(s.key("a")).orElseThrow(), s.code()))),
            WAITS),
    CALL_UNDER_A_PERMIT(s -> s.under("a", permit -> permit.call(s.code())), WAITS),
    CALLS_UNDER_A_PERMIT(
            s -> s.under(
                    "a",
                    permit -> permit.call(() -> permit.call(() ->
                            s.executor().call(s.key("b"), () -> s.executor().call(s.key("a"), s.code()))))),
            WAITS),
    ASK_UNDER_A_PERMIT(
            s -> s.under("a", permit -> s.keep(permit.acquireAsync(s.key("b")).toCompletableFuture())), WAITS),
    ASK_AGAIN_UNDER_A_PERMIT(
            s -> s.under(
                    "a",
                    permit -> s.with(
                            permit.acquireAsync(s.key("a"))
                                    .toCompletableFuture()
                                    .get(),
                            s.code())),
            WAITS),
    ASK_UNDER_A_PERMIT_AND_CANCEL(
            s -> s.under("a", permit -> {
                s.keep(permit.acquireAsync(s.key("b")).toCompletableFuture()).cancel(true);
                return "done";
            }),
            WAITS),
    SUBMIT_UNDER_A_PERMIT(s -> s.under("a", permit -> permit.call(() -> s.submitted("b"))), WAITS),
    SUBMIT_UNDER_A_PERMIT_AND_CANCEL(
            s -> s.under("a", permit -> permit.call(() -> s.submitted("b").cancel(true))), WAITS, CANCELS),
    SUBMIT_A_STAGE_UNDER_A_PERMIT(
            s -> s.under(
                    "a",
                    permit -> permit.call(() -> s.keep(s.executor()
                            .submitAsync(s.key("b"), s.id(), () -> CompletableFuture.completedFuture("done"))))),
            WAITS),
    AWAIT_UNDER_A_PERMIT(
            s -> s.under(
                    "a",
                    permit -> permit.call(
                            () -> s.waiting("a", () -> s.submitted("a").await().value()))),
            WAITS),
    UNDER_A_SHARED_PERMIT(
            s -> s.executor().call(s.key("a"), () -> {
                GroupPermit again = s.executor().enclosingPermit(s.key("a")).orElseThrow();
                return s.with(again, () -> again.call(() -> s.executor().call(s.key("b"), s.code())));
            }),
            WAITS),
    NESTED_CALL(
            s -> s.executor()
                    .call(
                            s.key("a"),
                            () -> s.executor()
                                    .call(s.key("b"), () -> s.executor().call(s.key("a"), s.code()))),
            WAITS),
    CALL_THAT_LENDS(
            s -> s.executor()
                    .call(
                            s.key("a"),
                            () -> s.waiting("a", () -> s.submitted("a").await().value())),
            WAITS),
    CALL_BEFORE_OTHERS(
            s -> s.executor().call(s.key("a"), () -> {
                s.submitted("a");
                s.submitted("a");
                return "done";
            }),
            WAITS),
    EXECUTE_ALL(
            s -> s.executor()
                    .executeAll(Stream.of("a", "a", "b")
                            .map(name -> new GroupTask<>(s.key(name), s.id(), s.code()))
                            .toList())
                    .getLast()
                    .value(),
            WAITS,
            KEEPS_THE_FLAG),
    AWAIT_QUIET(s -> s.executor().awaitQuiet(Deadline.LONG), WAITS),
    AWAIT_TERMINATION(s -> s.executor().awaitTermination(Deadline.LONG), WAITS, LAST),
    DRAIN(s -> s.executor().shutdown(Deadline.LONG), WAITS, KEEPS_THE_FLAG, LAST),
    VIEW_GET(s -> s.view("a").submit(s.code()).get(), WAITS),
    VIEW_TIMED_GET(s -> s.view("a").submit(s.code()).get(Deadline.SECONDS, TimeUnit.SECONDS), WAITS),
    VIEW_INVOKE_ALL(s -> done(s.view("a").invokeAll(List.of(s.code(), s.code()))), WAITS),
    VIEW_TIMED_INVOKE_ALL(
            s -> done(s.view("a").invokeAll(List.of(s.code(), s.code()), Deadline.SECONDS, TimeUnit.SECONDS)), WAITS),
    VIEW_INVOKE_ANY(s -> s.view("a").invokeAny(List.of(s.code(), s.code())), WAITS),
    VIEW_TIMED_INVOKE_ANY(
            s -> s.view("a").invokeAny(List.of(s.code(), s.code()), Deadline.SECONDS, TimeUnit.SECONDS), WAITS),
    VIEW_TERMINATION(
            s -> {
                ExecutorService view = s.view("a");
                view.submit(s.code());
                view.shutdown();
                return view.awaitTermination(Deadline.SECONDS, TimeUnit.SECONDS);
            },
            WAITS),
    VIEW_CLOSE(
            s -> {
                ExecutorService view = s.view("a");
                view.submit(s.code());
                view.close();
                return view.isTerminated();
            },
            WAITS,
            KEEPS_THE_FLAG),

    // ---------------------------------------------------------------- stories
    STARTED_BY_A_PERMIT_GIVEN_BACK {
        @Override
        public void take(Site s) throws Exception {
            s.hold("a");
            s.submit("a");
            s.submit("a");
            s.submit("a");
            s.release();
        }
    },
    STARTED_BY_ITS_PREDECESSOR {
        @Override
        public void take(Site s) throws Exception {
            Gate gate = new Gate();
            s.submit("a", gate.then("done"));
            s.submit("a");
            s.submit("a");
            s.submit("a");
            s.open(gate);
            s.calm();
        }
    },
    A_CALLER_AMONG_OTHERS {
        @Override
        public void take(Site s) throws Exception {
            Gate gate = new Gate();
            s.submit("a", gate.then("done"));
            s.submit("a");
            s.awaitBlocked(s.called(() -> s.executor().call(s.key("a"), s.code())));
            s.submit("a");
            s.open(gate);
            s.calm();
        }
    },
    STARTED_IN_ITS_TURN(GLOBAL) {
        @Override
        public void take(Site s) throws Exception {
            s.hold("x");
            s.hold("y");
            for (String name : List.of("a", "b", "c", "a")) {
                s.submit(name);
            }
            s.release();
        }
    },
    STARTED_IN_TURN_BY_ITS_PREDECESSORS(GLOBAL) {
        @Override
        public void take(Site s) throws Exception {
            Gate gate = new Gate();
            for (String name : List.of("a", "b", "c")) {
                s.submit(name, gate.then("done"));
                s.submit(name);
            }
            s.step(() -> s.executor().awaitQuiet(Duration.ZERO));
            s.open(gate);
            s.calm();
        }
    },
    STARTED_BY_A_LARGER_LIMIT {
        @Override
        public void take(Site s) throws Exception {
            s.hold("a");
            s.submit("a");
            s.submit("a");
            // Told to the witness by the stats: it only grows while anything starts.
            s.act(e -> e.setLimits(s.key("a"), GroupLimits.unset().withMaxConcurrency(3)));
            s.release();
            s.awaitDone();
            s.act(e -> e.resetLimits(s.key("a")));
            s.step(() -> s.executor().groupStats(s.key("a")));
        }
    },
    STARTED_BY_ANOTHER_POLICY {
        @Override
        public void take(Site s) throws Exception {
            GroupPolicy before = s.executor().policy();
            s.hold("a");
            s.hold("b");
            s.submit("a");
            s.submit("c");
            s.act(e -> e.updatePolicy(before.toBuilder().globalMaxInFlight(5).build()));
            s.release();
            s.awaitDone();
            s.act(e -> e.updatePolicy(before));
        }
    },
    STARTED_BY_A_RESUME {
        @Override
        public void take(Site s) throws Exception {
            s.act(e -> e.pause(s.key(PAUSED_KEY)));
            s.submit(PAUSED_KEY);
            s.submit(PAUSED_KEY);
            s.act(e -> e.resume(s.key(PAUSED_KEY)));
        }
    },
    STARTED_ON_LENT_PERMITS {
        @Override
        public void take(Site s) throws Exception {
            lend(s, "a", "a");
        }
    },
    STARTED_ON_A_LENT_GLOBAL_PERMIT(GLOBAL) {
        @Override
        public void take(Site s) throws Exception {
            lend(s, "a", "b");
        }
    },
    STARTED_ON_WHAT_ALL_LEND(GLOBAL) {
        @Override
        public void take(Site s) throws Exception {
            for (String name : List.of("a", "b", "c")) {
                s.submit(
                        name,
                        () -> s.waiting("x", () -> s.submitted("x").await().value()));
            }
        }
    },
    STARTED_ON_WHAT_IS_OFFERED(GLOBAL) {
        @Override
        public void take(Site s) throws Exception {
            s.hold("x");
            s.submit("a", () -> {
                Forks forks = new Forks(s.executor(), null);
                s.keep(forks.fork(s.key("a"), s.id(), s.code()));
                s.keep(forks.fork(s.key("b"), s.id(), () -> s.executor().call(s.key("a"), s.code())));
                return s.waiting("a", () -> {
                    forks.join();
                    return "joined";
                });
            });
            s.awaitDone();
            s.release();
        }
    },
    AN_INTERRUPTED_LENDER(GLOBAL) {
        @Override
        public void take(Site s) throws Exception {
            Gate gate = new Gate();
            s.hold("x");
            s.awaitBlocked(s.called(() -> s.executor().call(s.key("a"), () -> {
                TaskHandle<String> inner = s.submitted("b", gate.then("done"));
                s.submit("c");
                Thread.currentThread().interrupt();
                return s.waiting("b", () -> inner.await().value());
            })));
            s.open(gate);
            s.release();
        }
    },
    TASKS_UNDER_ONE_PERMIT(GLOBAL) {
        @Override
        public void take(Site s) throws Exception {
            s.hold("x");
            GroupPermit permit = s.holdOne("a");
            if (permit != null) {
                Gate gate = new Gate();
                s.step(() -> permit.call(() -> s.submitted("b", gate.then("done"))));
                s.submit("c"); // is before them in its turn
                for (String name : List.of("b", "y", "b")) {
                    s.step(() -> permit.call(() -> s.submitted(name)));
                }
                s.step(() -> permit.call(() -> s.keep(s.executor()
                        .submitAsync(s.key("y"), s.id(), () -> CompletableFuture.completedFuture("done")))));
                s.open(gate);
            }
            s.release();
        }
    },
    REQUESTS_UNDER_ONE_PERMIT(GLOBAL) {
        @Override
        public void take(Site s) throws Exception {
            s.hold("b");
            GroupPermit permit = s.holdOne("a");
            if (permit != null) {
                s.submit("c");
                for (String name : List.of("b", "y", "b")) {
                    s.step(() -> s.keep(permit.acquireAsync(s.key(name)).toCompletableFuture()));
                }
                s.step(() -> s.keep(permit.acquireAsync(s.key("b")).toCompletableFuture())
                        .cancel(true));
            }
            s.release();
        }
    },
    ONE_WAITS_UNDER_A_PERMIT_THAT_OTHERS_LEAVE(GLOBAL) {
        @Override
        public void take(Site s) throws Exception {
            s.hold("x");
            GroupPermit permit = s.holdOne("a");
            if (permit != null) {
                Gate gate = new Gate();
                s.awaitBlocked(s.called(() -> permit.call(gate.then("done"))));
                s.awaitBlocked(s.called(() -> permit.call(
                        () -> s.waiting("a", () -> s.submitted("a").await().value()))));
                s.open(gate);
                s.awaitCallers();
            }
            s.release();
        }
    },
    A_PERMIT_UNDER_A_PERMIT_THAT_IS_CLOSED(GLOBAL) {
        @Override
        public void take(Site s) throws Exception {
            s.hold("x");
            GroupPermit permit = s.holdOne("a");
            if (permit != null) {
                s.step(() -> s.keep(permit.acquireAsync(s.key("b")).toCompletableFuture()));
                s.submit("c");
                s.close(permit);
            }
            s.release();
        }
    },
    CALLERS_WHOSE_CALLS_NEST(GLOBAL) {
        @Override
        public void take(Site s) throws Exception {
            s.hold("b");
            s.awaitBlocked(s.called(() -> NESTED_CALL.use.at(s)));
            s.awaitBlocked(s.called(() -> CALLS_UNDER_A_PERMIT.use.at(s)));
            s.submit("c", () -> s.waiting("a", () -> s.executor().call(s.key("a"), s.code())));
            s.release();
        }
    },
    A_STAGE {
        @Override
        public void take(Site s) throws Exception {
            CompletableFuture<String> stage = new CompletableFuture<>();
            s.step(() -> s.keep(s.executor().submitAsync(s.key("a"), s.id(), () -> {
                s.code().call();
                return stage;
            })));
            SUBMIT_A_STAGE.at(s);
            s.called(() -> stage.complete("done"));
            s.awaitCallers();
        }
    },
    A_STAGE_THAT_IS_CANCELLED {
        @Override
        public void take(Site s) throws Exception {
            CompletableFuture<String> stage = new CompletableFuture<>();
            Gate gate = new Gate();
            s.step(() -> {
                TaskHandle<String> handle = s.keep(s.executor().submitAsync(s.key("a"), s.id(), () -> {
                    gate.open();
                    return stage;
                }));
                s.await("its code runs, or never will", () -> gate.isOpen() || handle.isDone());
                return handle.cancel(true);
            });
            stage.complete("done"); // where it couldn't be cancelled
        }
    },
    PERMITS_TO_COME {
        @Override
        public void take(Site s) throws Exception {
            s.hold("a");
            s.step(() -> s.asked("a"));
            s.step(() -> s.asked("a").cancel(true));
            s.step(() -> s.asked("a"));
            s.release();
        }
    },
    CALLERS_OF_ALL_KINDS {
        @Override
        public void take(Site s) throws Exception {
            s.hold("a");
            for (Ways way : List.of(CALL, NAMED_CALL, ACQUIRE, TRY_ACQUIRE)) {
                s.awaitBlocked(s.called(() -> way.use.at(s)));
            }
            TRY_NOW.at(s);
            s.release();
            s.awaitCallers();
        }
    },
    AWAITED_BY_TWO {
        @Override
        public void take(Site s) throws Exception {
            s.hold("a");
            s.step(() -> {
                TaskHandle<String> handle = s.submitted("a");
                s.awaitBlocked(s.called(handle::await));
                s.awaitBlocked(s.called(handle::await));
                return handle;
            });
            s.release();
            s.awaitCallers();
        }
    },
    TIMED_OUT_BY_A_LATER_LIMIT {
        @Override
        public void take(Site s) throws Exception {
            s.hold("a");
            s.submit("a");
            s.act(e -> e.setLimits(s.key("a"), GroupLimits.unset().withQueueTimeout(Duration.ofMillis(1))));
            Object set = s.step(() -> s.executor().overrideOf(s.key("a")).orElse(null));
            if (set != null) {
                s.awaitTimeOuts(Duration.ofMillis(2));
            }
            s.release();
            s.act(e -> e.resetLimits(s.key("a")));
        }
    },
    TIMED_OUT {
        @Override
        public void take(Site s) throws Exception {
            s.hold("a");
            s.hold(LATE);
            s.step(() -> s.keep(s.executor()
                    .submit(new GroupTask<>(s.key("a"), s.id(), s.code()).withQueueTimeout(Duration.ofMillis(1)))));
            s.submit(LATE);
            s.step(() -> {
                ExecutorService view = s.view(LATE);
                view.submit(s.code());
                view.shutdown();
                return view;
            });
            s.called(() -> {
                s.executor().tryAcquire(s.key("a"), Duration.ofMillis(1)).ifPresent(s::close);
                return null;
            });
            s.awaitTimeOuts(Duration.ofMillis(2));
            s.release();
            s.awaitCallers();
        }
    },
    REJECTED {
        @Override
        public void take(Site s) throws Exception {
            s.hold(FULL);
            s.submit(FULL);
            s.step(() -> s.keep(s.executor()
                    .submit(new GroupTask<>(s.key(FULL), s.id(), s.code()).withQueueTimeout(Duration.ZERO))));
            s.called(() -> s.executor().call(s.key(FULL), s.code()));
            s.awaitCallers();
            s.release();
        }
    },
    REJECTED_BEHIND_ANOTHER {
        @Override
        public void take(Site s) throws Exception {
            s.hold(SHORT);
            s.submit(SHORT);
            s.submit(SHORT);
            s.step(() -> s.asked(SHORT));
            s.called(() -> s.executor().call(s.key(SHORT), Duration.ZERO, s.code()));
            s.awaitCallers();
            s.release();
        }
    },
    CANCELLED_IN_THE_QUEUE {
        @Override
        public void take(Site s) throws Exception {
            s.hold("a");
            SUBMIT.at(s);
            SUBMIT_AND_CANCEL.at(s);
            s.step(() -> s.submitted("a").toCompletableFuture().cancel(false));
            s.release();
        }
    },
    CANCELLED_WHILE_IT_RUNS {
        @Override
        public void take(Site s) throws Exception {
            Gate gate = new Gate();
            s.step(() -> {
                TaskHandle<String> handle = s.submitted("a", gate.then("no"));
                s.await("it runs, or never will", () -> gate.arrived() == 1 || handle.isDone());
                return handle.cancel(true);
            });
            gate.open(); // where it couldn't be cancelled
        }
    },
    ENDED_WITH_ITS_GROUP {
        @Override
        public void take(Site s) throws Exception {
            s.hold("a");
            s.submit("a");
            s.submit("a");
            s.step(() -> s.asked("a"));
            s.awaitBlocked(s.called(() -> CALL.use.at(s)));
            s.act(e -> e.shutdownGroup(s.key("a")));
            s.awaitCallers();
            s.awaitDone();
            s.release();
        }
    },
    A_VIEW {
        @Override
        public void take(Site s) throws Exception {
            s.called(() -> {
                ExecutorService view = s.view("a");
                s.step(() -> view.submit(s.code()));
                s.step(() -> view.submit(s.code()).cancel(true));
                s.step(() -> view.invokeAll(List.of(s.code(), s.code())));
                s.step(() -> view.invokeAny(List.of(s.code(), s.code())));
                s.step(() -> view.submit(s.code()));
                return view.shutdownNow();
            });
            s.awaitCallers();
        }
    },
    WITHDRAWN_FROM_A_VIEW {
        @Override
        public void take(Site s) throws Exception {
            s.hold("a");
            s.step(() -> {
                ExecutorService view = s.view("a");
                List<Object> submitted = new ArrayList<>();
                s.step(() -> submitted.add(view.submit(s.code())));
                s.step(() -> submitted.add(view.submit(s.code())));
                if (s.step(view::shutdownNow) instanceof List<?> returned) {
                    submitted.removeAll(returned);
                }
                submitted.forEach(s::keep); // what isn't returned has to end
                return view;
            });
            s.release();
        }
    },
    EVICTED {
        @Override
        public void take(Site s) throws Exception {
            s.submit("a");
            s.awaitDone();
            s.act(e -> e.evictGroup(s.key("a")));
        }
    },
    EVICTED_IN_USE {
        @Override
        public void take(Site s) throws Exception {
            s.hold("a");
            s.submit("a");
            s.act(e -> e.evictGroup(s.key("a")));
            s.submit("a");
            s.release();
        }
    },
    IDLE {
        @Override
        public void take(Site s) throws Exception {
            for (String name : List.of("a", "b", "c")) {
                s.called(() -> s.executor().call(s.key(name), s.code()));
                s.awaitCallers();
            }
            s.timePasses(Duration.ofSeconds(3));
        }
    },
    DRAINED_FROM_INSIDE(LAST) {
        @Override
        public void take(Site s) throws Exception {
            s.submit("a");
            s.submit("b");
            s.called(() -> s.executor().call(s.key("a"), () -> s.executor().shutdown(Deadline.LONG)));
            s.awaitCallers();
        }
    },
    SHUT_DOWN(LAST) {
        @Override
        public void take(Site s) throws Exception {
            s.hold("a");
            s.submit("a");
            s.submit("a");
            CountDownLatch never = new CountDownLatch(1);
            s.submit("b", () -> {
                never.await();
                return "no";
            });
            s.step(() -> s.asked("a"));
            s.act(GroupExecutor::shutdown);
            if (!s.executor().isShutdown()) {
                never.countDown(); // there was no memory to begin with it
            }
            s.awaitDone();
            s.release();
        }
    };

    /** A group whose key ends like this lets nothing wait, under {@link #policy()}. */
    static final String FULL = "full";

    /** One in which one may wait. */
    private static final String SHORT = "short";

    /** One in which nothing may wait for long. */
    private static final String LATE = "late";

    /** One that is paused and resumed. */
    static final String PAUSED_KEY = "paused";

    /** What a fault has to know of a way. */
    public enum Trait {
        /** It is one use, and its thread may wait in it. */
        WAITS,
        /** It returns when it is interrupted, with the flag set again, instead of throwing. */
        KEEPS_THE_FLAG,
        /** A task of it may have been cancelled. */
        CANCELS,
        /** It is meant for an executor with a global limit of 2. */
        GLOBAL,
        /** The executor takes no more work after it. */
        LAST
    }

    /** One thing that one thread does. */
    interface Use {
        Object at(Site site) throws Exception;
    }

    final Use use;
    private final Set<Trait> traits = EnumSet.noneOf(Trait.class);

    Ways(Trait... traits) {
        this(null, traits);
    }

    Ways(Use use, Trait... traits) {
        this.use = use;
        this.traits.addAll(List.of(traits));
    }

    /** What the ways want of a policy, apart from a global limit: groups that take little. */
    public static GroupPolicy.Builder policy() {
        return GroupPolicy.builder()
                .defaultMaxInFlightPerGroup(Integer.MAX_VALUE)
                .pattern("*" + FULL, GroupLimits.unset().withQueueThreshold(0))
                .pattern("*" + SHORT, GroupLimits.unset().withQueueThreshold(1))
                .pattern("*" + LATE, GroupLimits.unset().withQueueTimeout(Duration.ofMillis(1)));
    }

    /** {@return the ways that are one use, of which a thread takes all, again and again} */
    static Stream<Ways> uses() {
        return Stream.of(values()).filter(way -> way.use != null);
    }

    /** {@return the uses in which a thread may wait} */
    static Stream<Ways> waits() {
        return uses().filter(way -> way.is(WAITS));
    }

    public final boolean is(Trait trait) {
        return traits.contains(trait);
    }

    /** Takes it, and waits only for what it waits for itself; a story overrides it. */
    @Override
    public void take(Site site) throws Exception {
        if (!is(LAST)) {
            at(site);
            site.awaitCallers();
            if (this == PAUSE_AND_SUBMIT) {
                site.act(e -> e.resume(site.key(PAUSED_KEY)));
            }
            site.awaitDone();
        }
        site.hold("a");
        site.submit("a");
        site.submit("b");
        at(site);
        if (this == AWAIT_TERMINATION) {
            site.act(GroupExecutor::shutdown); // while there is something to end
        }
        site.release();
        site.awaitCallers();
    }

    /** Takes a use, until it is done or its thread waits. */
    private void at(Site site) throws Exception {
        if (is(WAITS)) {
            site.awaitBlocked(site.called(() -> use.at(site)));
        } else {
            site.step(() -> use.at(site));
        }
    }

    private static void lend(Site s, String lender, String borrower) throws Exception {
        s.hold("x");
        s.submit(
                lender,
                () -> s.waiting(borrower, () -> s.submitted(borrower).join().value()));
        s.awaitDone();
        s.release();
    }

    private static boolean done(List<? extends Future<?>> futures) {
        return futures.stream().allMatch(Future::isDone);
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}
