package io.github.kobe.rollout;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The context in which a step runs. Only the thread of the step may use it. Rollouts make it; the tests of an application may
 * implement it.
 *
 * @since 0.1.0
 */
public interface StageContext {

    /** {@return the plan} */
    PlanId planId();

    /** {@return the task} */
    TaskId taskId();

    /** {@return the tenant} */
    TenantId tenantId();

    /** {@return the name of the stage} */
    String stageName();

    /** {@return the change that the task makes} */
    TenantChange change();

    /**
     * {@return the addresses of the tenant's instances}
     *
     * @throws SecurityException if the {@link EndpointPolicy} refuses one of them now
     */
    List<NetworkEndpoint> endpoints();

    /**
     * {@return another address, such as one in the settings, or the URL of a request} Other threads may call this too.
     *
     * @param url the address as text
     * @throws IllegalArgumentException if the text is not a URL with a scheme and a host
     * @throws SecurityException if the {@link EndpointPolicy} refuses it now
     */
    NetworkEndpoint endpoint(String url);

    /** {@return what the tenant had before, if that is known} */
    Optional<ConfigSnapshot> previous();

    /** {@return whether the stage is being rolled back} */
    boolean isRollingBack();

    /** {@return the unit that the tenant should have after this: the new one, or during a rollback the previous one} */
    ConfigSnapshot target();

    /** {@return the configuration that the tenant should have after this, which is that of {@link #target()}} */
    default String config() {
        return target().config();
    }

    /** {@return the number of this attempt of the task, from 1; each retry and each rollback is a new attempt} */
    int attempt();

    /**
     * {@return an idempotency key for a step that sends one request} It is made of the task, the attempt, the stage and
     * the step, so it is the same if the step runs again after a crash, and a new one for each other step, each retry and
     * each rollback. It has visible ASCII characters only, and fits into a header.
     */
    String idempotencyKey();

    /**
     * {@return an idempotency key for one of several requests of a step} For another part it is another key.
     *
     * @param part which request, not blank: such as the name of an instance, and not what differs after a crash
     * @throws IllegalArgumentException if the part is blank
     */
    String idempotencyKey(String part);

    /**
     * {@return a number of the tenant's that grows over all its plans: with each task, each retry, each rollback, and
     * each time that the running task's plan is taken over} It is at least 1, and the same for all stages of one attempt
     * unless the plan is taken over in between. A service that remembers the highest number of the tenant, and refuses
     * requests with a lower one, is safe from a node that has lost a plan, this one or an earlier one, and doesn't know
     * it yet.
     */
    long fencingToken();

    /** {@return the settings of the tenant} */
    RolloutSettings settings();

    /** {@return data that stages of this run keep for later stages; saved when the stage passes} */
    Map<String, String> data();
}
