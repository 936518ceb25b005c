package io.github.kobe.internal.jfr;

import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Registered;

/** Work was not admitted, or waited too long. */
@Name("io.github.kobe.TaskRejected")
@Label("Task Rejected")
@Description("Work was not let in, or waited too long")
@Registered
final class RejectedEvent extends GroupTaskEvent {

    @Label("Reason")
    String reason = "";
}
