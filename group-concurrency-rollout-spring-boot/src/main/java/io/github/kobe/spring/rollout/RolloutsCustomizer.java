package io.github.kobe.spring.rollout;

import io.github.kobe.rollout.RolloutsBuilder;

/**
 * Changes the rollouts that Spring Boot makes, after the settings and the beans that replace parts of them.
 *
 * <pre>{@code
 * @Bean
 * RolloutsCustomizer sameHealthPort() {
 *     return rollouts -> rollouts.setting("target-port", "8081");
 * }
 * }</pre>
 *
 * <p>All beans of this type are called, in their order.
 */
@FunctionalInterface
public interface RolloutsCustomizer {

    /**
     * Changes the rollouts.
     *
     * @param rollouts a builder with everything set so far
     */
    void customize(RolloutsBuilder rollouts);
}
