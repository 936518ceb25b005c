package io.github.kobe.internal.jfr;

import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Registered;
import jdk.jfr.Timespan;

/** Work has its permits and is about to run. */
@Name("io.github.kobe.TaskStarted")
@Label("Task Started")
@Description("Work has its permits and is about to run")
@Registered
final class StartedEvent extends GroupTaskEvent {

    @Label("Queued For")
    @Timespan(Timespan.NANOSECONDS)
    long queuedFor;
}
