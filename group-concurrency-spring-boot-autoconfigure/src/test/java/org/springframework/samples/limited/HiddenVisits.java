package org.springframework.samples.limited;

import io.github.kobe.spring.annotation.GroupConcurrent;

/** With a method that a class in another package inherits, and neither overrides nor sees. */
public abstract class HiddenVisits {

    @GroupConcurrent(group = "visits")
    void visit() {}
}
