/** A fleet of servers that take configurations: what a rollout of the sample changes. A process of its own, of the JDK alone. */
@NullMarked
package io.github.kobe.sample.fleet;

import org.jspecify.annotations.NullMarked;
