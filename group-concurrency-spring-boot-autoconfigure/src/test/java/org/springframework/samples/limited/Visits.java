package org.springframework.samples.limited;

import io.github.kobe.spring.annotation.GroupConcurrent;

/** Of an application whose package begins as Spring's own do, as those of Spring's samples. */
public class Visits {

    @GroupConcurrent(group = "visits")
    public void visit() {}
}
