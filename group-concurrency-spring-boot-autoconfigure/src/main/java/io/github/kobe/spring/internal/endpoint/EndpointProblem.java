package io.github.kobe.spring.internal.endpoint;

import com.fasterxml.jackson.annotation.JsonInclude;
import org.jspecify.annotations.Nullable;

/**
 * Why a request was refused.
 *
 * @param error what is wrong
 * @param parameter the parameter that is wrong
 * @param value its value; null: not given
 * @param allowed what is allowed
 */
@JsonInclude(JsonInclude.Include.ALWAYS)
public record EndpointProblem(
        String error, String parameter, @Nullable String value, String allowed) {}
