package io.github.kobe.spring.ai;

import io.github.kobe.Costs;
import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPermit;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.RejectionReason;
import io.github.kobe.spring.internal.context.BlockingTurn;
import io.github.kobe.spring.internal.context.EnclosingPermit;
import io.github.kobe.spring.internal.context.ReactivePermits;
import io.github.kobe.spring.observation.ReactorObservation;
import java.lang.reflect.UndeclaredThrowableException;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.ObjLongConsumer;
import org.jspecify.annotations.Nullable;
import org.springframework.ai.chat.client.ChatClientRequest;
import org.springframework.ai.chat.client.ChatClientResponse;
import org.springframework.ai.chat.client.advisor.api.CallAdvisor;
import org.springframework.ai.chat.client.advisor.api.CallAdvisorChain;
import org.springframework.ai.chat.client.advisor.api.StreamAdvisor;
import org.springframework.ai.chat.client.advisor.api.StreamAdvisorChain;
import org.springframework.ai.chat.metadata.Usage;
import org.springframework.core.Ordered;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.SignalType;

/**
 * Limits the calls that a {@code ChatClient} of Spring AI makes of a language model, by a key such as the tenant that they
 * are for, and by the tokens that they take:
 *
 * <pre>{@code
 * ChatClient client = builder
 *         .defaultAdvisors(GroupConcurrencyAdvisor.builder(executor).build())
 *         .build();
 *
 * client.prompt(question)
 *         .advisors(call -> call.param(GroupConcurrencyAdvisor.GROUP, "llm:acme"))
 *         .call()
 *         .content();
 * }</pre>
 *
 * <p>A call waits for its turn in its key's group, with what it may cost of the group's
 * {@linkplain GroupLimits#withRates rates}: {@code call()} on its own thread, {@code stream()} without a thread, at each
 * subscription. It holds its permit until the model has answered, or its stream has completed, failed or been cancelled.
 * An answer that says what it has used {@linkplain GroupPermit#settle settles} the cost, a stream with the last that it says, when
 * it is complete. Otherwise the estimate stands, also if the call fails or is cancelled.
 *
 * <p>By {@linkplain #DEFAULT_ORDER default} it is the innermost of a client's advisors. So it sees the prompt as the others
 * have left it, nobody waits for memory or documents while he holds a permit, and where an advisor calls the model several
 * times, to run tools or to validate its answer, each of these calls has its own turn. Tools that the model
 * itself runs, as those of Spring AI 1.1 do unless there is a {@code ToolCallAdvisor}, run within one turn.
 *
 * <p>A call inside of work of its own group, such as an annotated method, shares that work's permit. It costs nothing more,
 * and settles nothing: that work does. A tool that Spring AI runs within the turn of a stream isn't inside of it, since it
 * has a thread of its own: what it asks a model for takes another turn.
 *
 * <p>A call that isn't admitted ends with a {@link RejectedTaskException}, even for an interrupt while it waits
 * ({@link RejectionReason#INTERRUPTED}, with the interrupt status restored) and after a shutdown
 * ({@link RejectionReason#SHUTDOWN}). A stream that is cancelled while it waits leaves the queue.
 *
 * <p>Safe for use by several threads.
 *
 * @since 0.1.0
 */
public final class GroupConcurrencyAdvisor implements CallAdvisor, StreamAdvisor {

    /** The name of the advisor parameter with the key of a call's group, where nothing else {@linkplain Builder#key gives keys}. */
    public static final String GROUP = "group-concurrency.group";

    /** The order where nothing else is said: inside of all advisors that don't ask for a place beside the model. */
    public static final int DEFAULT_ORDER = Ordered.LOWEST_PRECEDENCE - 100;

    private final GroupExecutor executor;
    private final Function<? super ChatClientRequest, @Nullable String> key;
    private final Function<? super ChatClientRequest, Costs> costs;
    private final Function<? super Usage, Costs> used;
    private final int order;

    private GroupConcurrencyAdvisor(Builder builder) {
        this.executor = builder.executor;
        this.key = builder.key;
        this.costs = builder.costs;
        this.used = builder.used;
        this.order = builder.order;
    }

    /**
     * Begins an advisor.
     *
     * @param executor the executor of the groups
     * @return what makes it
     */
    public static Builder builder(GroupExecutor executor) {
        return new Builder(executor);
    }

    @Override
    public String getName() {
        return GroupConcurrencyAdvisor.class.getSimpleName();
    }

    @Override
    public int getOrder() {
        return order;
    }

    @Override
    public ChatClientResponse adviseCall(ChatClientRequest request, CallAdvisorChain chain) {
        String groupKey = key.apply(request);
        if (groupKey == null || groupKey.isBlank()) {
            return chain.nextCall(request);
        }
        boolean shares = EnclosingPermit.keyOfCurrent(executor, groupKey)
                .filter(groupKey::equals)
                .isPresent();
        Costs cost = shares ? Costs.unsaid() : costs.apply(request);
        try {
            return BlockingTurn.take(executor, groupKey, cost, () -> {
                ChatClientResponse response = chain.nextCall(request);
                if (!shares) {
                    settle(Tokens.usageIn(response.chatResponse()), executor::settle);
                }
                return response;
            });
        } catch (RuntimeException failure) {
            throw failure;
        } catch (Exception failure) {
            throw new UndeclaredThrowableException(failure);
        }
    }

    @Override
    public Flux<ChatClientResponse> adviseStream(ChatClientRequest request, StreamAdvisorChain chain) {
        return Flux.deferContextual(context -> {
            String groupKey = key.apply(request);
            if (groupKey == null || groupKey.isBlank()) {
                return chain.nextStream(request);
            }
            EnclosingPermit outer = context.getOrDefault(EnclosingPermit.class, null);
            CompletableFuture<GroupPermit> shared = EnclosingPermit.share(executor, outer, groupKey);
            Costs cost = shared == null ? costs.apply(request) : Costs.unsaid();
            ReactorObservation observation = ReactorObservation.of(context);
            CompletableFuture<GroupPermit> asked = shared == null
                    ? observation.around(() ->
                            EnclosingPermit.acquireAsync(executor, outer, groupKey, "", GroupLimits.NO_TIMEOUT, cost))
                    : shared;
            AtomicReference<Usage> last = new AtomicReference<>();
            return Mono.fromFuture(asked)
                    .flatMapMany(permit -> ReactivePermits.inside(
                            new EnclosingPermit(executor, permit, outer), chain.nextStream(request)))
                    .contextWrite(observation::addTo)
                    .doOnNext(part -> {
                        Usage usage = Tokens.usageIn(part.chatResponse());
                        if (usage != null) {
                            last.set(usage);
                        }
                    })
                    .doOnComplete(() -> {
                        if (shared == null) {
                            settle(last.get(), asked.resultNow()::settle);
                        }
                    })
                    .doOnComplete(() -> EnclosingPermit.giveBack(asked, null))
                    .doOnError(failure -> EnclosingPermit.giveBack(asked, failure))
                    .doFinally(end -> {
                        if (end == SignalType.CANCEL) { // the model is told first
                            EnclosingPermit.giveBack(asked, new CancellationException("The stream was cancelled"));
                        }
                    });
        });
    }

    private void settle(@Nullable Usage usage, ObjLongConsumer<String> permit) {
        if (usage == null) {
            return;
        }
        Costs really = used.apply(usage);
        for (int i = 0; i < really.size(); i++) {
            try {
                permit.accept(really.name(i), really.cost(i));
            } catch (IllegalStateException saidBefore) { // by the application's code inside, which knows better
            }
        }
    }

    private static String keyIn(ChatClientRequest request) {
        Object said = request.context().get(GROUP);
        if (said instanceof String text && !text.isBlank()) {
            return text;
        }
        throw new IllegalStateException(
                "A call of a language model has no group: its advisor parameter '" + GROUP + "' is "
                        + (said == null ? "missing" : said instanceof String ? "blank" : "of " + said.getClass())
                        + ". Give it the group's key, or the advisor a function that gives keys");
    }

    /**
     * Makes an advisor.
     *
     * @since 0.1.0
     */
    public static final class Builder {

        private final GroupExecutor executor;
        private Function<? super ChatClientRequest, @Nullable String> key = GroupConcurrencyAdvisor::keyIn;
        private Function<? super ChatClientRequest, Costs> costs = Tokens::estimate;
        private Function<? super Usage, Costs> used = Tokens::total;
        private int order = DEFAULT_ORDER;

        private Builder(GroupExecutor executor) {
            this.executor = Objects.requireNonNull(executor, "executor");
        }

        /**
         * Says which group a call is in. By default its advisor parameter {@link GroupConcurrencyAdvisor#GROUP} says that, and
         * without one a call fails with an {@link IllegalStateException}.
         *
         * @param key gives the key of a call's group: on the calling thread, for a stream at each subscription;
         *     {@code null} or blank: the call isn't limited. What it throws, the call throws
         * @return this
         */
        public Builder key(Function<? super ChatClientRequest, @Nullable String> key) {
            this.key = Objects.requireNonNull(key, "key");
            return this;
        }

        /**
         * Says what a call may cost of the rates of its group. By default it is an estimate in {@code tokens}: a quarter of the
         * characters of the prompt's messages, tool calls and tool results, and the
         * {@linkplain org.springframework.ai.chat.prompt.ChatOptions#getMaxTokens most tokens} that the answer may have, if
         * the client's options say that.
         *
         * @param costs gives the costs of a call, where {@link #key} is asked. What it throws, the call throws
         * @return this
         */
        public Builder costs(Function<? super ChatClientRequest, Costs> costs) {
            this.costs = Objects.requireNonNull(costs, "costs");
            return this;
        }

        /**
         * Says what a call has used, by its answer: of each rate that is named, that is settled. By default it is the
         * {@linkplain Usage#getTotalTokens total} in {@code tokens}. Where a provider counts tokens in and tokens out apart, that
         * takes two rates:
         *
         * <pre>{@code
         * .used(usage -> Costs.of("input", usage.getPromptTokens()).and("output", usage.getCompletionTokens()))
         * }</pre>
         *
         * @param used gives what a call has used; isn't asked if the answer doesn't say that. What it throws, the call throws
         * @return this
         */
        public Builder used(Function<? super Usage, Costs> used) {
            this.used = Objects.requireNonNull(used, "used");
            return this;
        }

        /**
         * Says where the advisor stands among those of a client. Farther out than the one that runs tools, whose order is
         * {@link Ordered#HIGHEST_PRECEDENCE} + 300, a call has one turn with all its tools, and what it costs is settled with
         * what the last answer says.
         *
         * @param order the place; a larger number is farther inside. By default {@link GroupConcurrencyAdvisor#DEFAULT_ORDER}
         * @return this
         */
        public Builder order(int order) {
            this.order = order;
            return this;
        }

        /** {@return the advisor} */
        public GroupConcurrencyAdvisor build() {
            return new GroupConcurrencyAdvisor(this);
        }
    }
}
