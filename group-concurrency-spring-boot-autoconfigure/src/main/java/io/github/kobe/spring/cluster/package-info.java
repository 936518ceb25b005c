/** The store of limits over many instances, in the Redis that an application has. */
@NullMarked
package io.github.kobe.spring.cluster;

import org.jspecify.annotations.NullMarked;
