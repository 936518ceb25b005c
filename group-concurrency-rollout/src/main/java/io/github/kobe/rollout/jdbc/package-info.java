/** Keeps rollouts in a relational database, H2 or PostgreSQL, so that they survive their nodes. */
@NullMarked
package io.github.kobe.rollout.jdbc;

import org.jspecify.annotations.NullMarked;
