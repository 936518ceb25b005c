package io.github.kobe.spring;

import io.github.kobe.GroupPolicy;

/**
 * Changes the policy of the executor that Spring Boot makes, after the settings and before anything else.
 *
 * <pre>{@code
 * @Bean
 * GroupPolicyCustomizer nightlyExports() {
 *     return policy -> policy.group("exports", GroupLimits.unset().withMaxConcurrency(3));
 * }
 * }</pre>
 *
 * <p>All beans of this type are called, in their order, even for the application's own {@link GroupPolicy} bean.
 */
@FunctionalInterface
public interface GroupPolicyCustomizer {

    /**
     * Changes the policy.
     *
     * @param policy a builder with everything set so far
     */
    void customize(GroupPolicy.Builder policy);
}
