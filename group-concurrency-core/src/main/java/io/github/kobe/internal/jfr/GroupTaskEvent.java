package io.github.kobe.internal.jfr;

import jdk.jfr.Category;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Registered;
import jdk.jfr.StackTrace;

/** The base of all events: off unless a recording asks for them, and without stack traces. */
@Category("Group Concurrency")
@Enabled(false)
@Registered(false)
@StackTrace(false)
abstract class GroupTaskEvent extends Event {

    @Label("Group")
    String groupKey = "";

    @Label("Task")
    String taskId = "";
}
