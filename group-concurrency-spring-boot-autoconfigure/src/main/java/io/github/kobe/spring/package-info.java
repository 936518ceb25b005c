/** The types by which an application customizes the executors that Spring Boot makes. */
@NullMarked
package io.github.kobe.spring;

import org.jspecify.annotations.NullMarked;
