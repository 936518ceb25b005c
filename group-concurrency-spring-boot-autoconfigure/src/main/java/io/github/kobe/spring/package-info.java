/** What an application implements to have a say in the policy of the executor that Spring Boot makes. */
@NullMarked
package io.github.kobe.spring;

import org.jspecify.annotations.NullMarked;
