package io.github.kobe.internal.jfr;

import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Registered;

/** Work waited: from its submission until it started or left the queue. */
@Name("io.github.kobe.TaskQueued")
@Label("Task Queued")
@Description("Work waited for its permits; the duration is the wait")
@Registered
final class QueuedEvent extends GroupTaskEvent {}
