/** What an application implements or takes to have a say in the executors that Spring Boot makes. */
@NullMarked
package io.github.kobe.spring;

import org.jspecify.annotations.NullMarked;
