package io.github.kobe.spring.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.core.annotation.AliasFor;

/**
 * Runs a method in a group, within the group's limits.
 *
 * <pre>{@code
 * @GroupConcurrent(group = "tenant:#{#tenantId}", fallbackMethod = "busy")
 * Report build(String tenantId) { … }
 *
 * private Report busy(String tenantId, RejectedTaskException rejection) { … }
 * }</pre>
 *
 * <p>On a type, it applies to the type's own and inherited methods that a proxy can override; an annotation on the
 * method takes precedence. It is found on interfaces and superclasses, and as a meta-annotation, which may pass
 * attributes on by {@link AliasFor}. It works through Spring's proxies: a call from within the same object isn't
 * limited, and on a private, static or final method, or a package-private one that is inherited from another package, it
 * fails the start-up.
 *
 * <p><b>Threads.</b> The declared return type decides on which thread the method runs. A method that declares exactly
 * {@link java.util.concurrent.CompletionStage}, {@link java.util.concurrent.CompletableFuture} or
 * {@link java.util.concurrent.Future} returns at once and runs on a virtual thread of its own, holding its permits
 * until its future ends; cancelling what it returned cancels it. One that declares exactly another type that Spring's
 * {@link org.springframework.core.ReactiveAdapterRegistry} knows, such as Reactor's {@code Mono} or {@code Flux},
 * returns at once, and runs at each subscription, which waits for its permit without a thread and holds it until the
 * end. A Kotlin suspend function waits in the same way, while its caller is suspended. A method that returns any other
 * future or publisher, or what Spring MVC runs later, such as a {@code Callable} or {@code DeferredResult}, fails the
 * start-up. Any other method runs on the calling thread, which waits for its turn; transactions, security and
 * thread-locals stay.
 *
 * <p><b>Rejection.</b> A call that is rejected ends with a {@link io.github.kobe.RejectedTaskException}, thrown or in
 * the returned future or publisher, unless there is a {@link #fallbackMethod()}. Neither a
 * {@link io.github.kobe.RejectionPolicy} nor a {@link io.github.kobe.RejectionHandler} changes that. A caller that is
 * interrupted while it waits gets the {@link InterruptedException} if the method declares it; otherwise it gets a
 * rejection for that reason, and its interrupt status is set.
 */
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
public @interface GroupConcurrent {

    /**
     * The group's key; a short form of {@link #group()} if no other attribute is given.
     *
     * @return as for {@code group}; only one of the two may be given
     */
    @AliasFor("group")
    String value() default "";

    /**
     * The group's key. Its text decides how it is read:
     *
     * <ul>
     *   <li>with a <code>#&#123;</code> in it, a template: <code>tenant:#&#123;#tenantId&#125;</code>
     *   <li>with a {@code #} before a letter or {@code _}, a SpEL expression: {@code #tenantId}
     *   <li>else, the key itself: {@code room#1}
     * </ul>
     *
     * <p>In keys and in the literal parts of templates, <code>$&#123;…&#125;</code> is filled from the environment at
     * start-up. Expressions know the method's parameters by name, {@code #p0} and {@code #a0} onwards, and
     * {@code #root.method}, {@code methodName}, {@code target}, {@code targetClass} and {@code args}; they can read
     * properties and call instance methods, and nothing else. They are checked at start-up. If an expression gives
     * {@code null} or a blank text, the call fails.
     *
     * @return a key, template or expression; not blank
     */
    @AliasFor("value")
    String group() default "";

    /**
     * What a call costs of the {@link io.github.kobe.GroupLimits#withRates rates} of its group, for each rate its name and, after
     * a {@code =}, a number or an expression:
     *
     * <pre>{@code
     * @GroupConcurrent(group = "llm:#{#tenant}", cost = "tokens=#prompt.length() / 4")
     * String ask(String tenant, String prompt) { … }
     * }</pre>
     *
     * <p>What is after the {@code =} is read as {@link #group()} is: an expression if there is a {@code #} before a letter, or if it
     * is <code>#&#123;…&#125;</code>, with the same variables; otherwise a number or a placeholder for one. It gives a whole number from 0
     * to 1,000,000,000: with anything else, {@code null} or a fraction for example, the call fails with an {@link
     * IllegalArgumentException}. A rate that isn't named here costs what it does {@link io.github.kobe.Rate#withDefaultCost by
     * default}; a name that the group has no rate for is ignored. A call that is inside its group already costs nothing. What a
     * call has really used, its code says by {@link io.github.kobe.GroupExecutor#settle}.
     *
     * <p>On a type, the costs hold for each of its methods, so the expressions name only variables that all of these have.
     *
     * @return costs, each of another rate; none: what each rate has by default
     */
    String[] cost() default {};

    /**
     * How long a call may wait for its turn: this or the group's time-out, whichever is shorter.
     *
     * @return a duration with its unit, such as {@code 500ms}, or a placeholder for one; {@code 0s}: not at all; empty:
     *     as long as the group allows
     */
    String queueTimeout() default "";

    /**
     * The method that answers rejected calls, whatever the reason, except an interrupt. It belongs to the same class
     * and has the same parameters, which the exception may follow, and a compatible return type. If two methods match,
     * the one that takes the exception is used. Its visibility doesn't matter. It runs without a permit, on the thread
     * that was rejected.
     *
     * @return the method's name; empty: none, the caller gets the exception
     */
    String fallbackMethod() default "";

    /**
     * The executor to run in.
     *
     * @return the name of a {@link io.github.kobe.GroupExecutor} bean, or a placeholder for it; empty: the only one, or
     *     the primary one
     */
    String executor() default "";
}
