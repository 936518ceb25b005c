/**
 * Stages that switch a tenant's configuration by HTTP: send it, make the instances load it, and check that they run
 * with it. {@link io.github.kobe.rollout.http.HttpStages} is where to begin.
 */
@NullMarked
package io.github.kobe.rollout.http;

import org.jspecify.annotations.NullMarked;
