/** How a policy gets what the application's beans add to it, and which of its rules a group falls under. */
@NullMarked
package io.github.kobe.spring.policy;

import org.jspecify.annotations.NullMarked;
