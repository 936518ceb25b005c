package io.github.kobe.internal.jfr;

import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Registered;

/** Work has ended and its permits are back: from its start, if it had one. */
@Name("io.github.kobe.TaskCompleted")
@Label("Task Completed")
@Description("Work has ended and its permits are back; the duration is from its start")
@Registered
final class CompletedEvent extends GroupTaskEvent {

    @Label("Outcome")
    String outcome = "";

    @Label("Exception")
    @Description("The class of the exception of a failed task")
    String exception = "";
}
