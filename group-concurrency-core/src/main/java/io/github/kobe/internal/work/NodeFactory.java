package io.github.kobe.internal.work;

import io.github.kobe.TaskTrace;
import io.github.kobe.internal.permits.Group;
import org.jspecify.annotations.Nullable;

/** Makes what a group is asked to let in, once its work is known. */
public interface NodeFactory<N> {

    N newNode(Group group, String id, Object work, @Nullable TaskTrace trace);
}
