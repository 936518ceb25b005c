/** Credit reports: each asks three services of the partner at once, within a deadline. */
@NullMarked
package io.github.kobe.sample.credit;

import org.jspecify.annotations.NullMarked;
