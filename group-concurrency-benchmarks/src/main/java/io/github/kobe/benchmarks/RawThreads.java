package io.github.kobe.benchmarks;

import io.github.kobe.GroupResult;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;

/** No limit at all, by the executor that the JDK has for this. */
class RawThreads extends FreshThreads {

    @Override
    public final Future<GroupResult<Integer>> submit(String group, String id, Callable<Integer> task) {
        return start(new Timed(group, id, task));
    }
}
