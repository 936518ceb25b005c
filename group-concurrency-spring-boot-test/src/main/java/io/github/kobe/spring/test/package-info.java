/** Support for the tests of applications: slices with limits, assertions on groups, and a check for permits left out. */
@NullMarked
package io.github.kobe.spring.test;

import org.jspecify.annotations.NullMarked;
