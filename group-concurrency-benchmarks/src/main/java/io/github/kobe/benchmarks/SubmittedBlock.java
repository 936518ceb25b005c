package io.github.kobe.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.function.Supplier;

/** Single tasks that are waited for one after the other: what one does without scopes. */
final class SubmittedBlock<H> implements Block {

    private final Contestant<H> contestant;
    private final List<H> handles = new ArrayList<>();

    SubmittedBlock(Contestant<H> contestant) {
        this.contestant = contestant;
    }

    @Override
    public Supplier<Integer> fork(String group, Callable<Integer> task) {
        H handle = contestant.submit(group, "task", task);
        handles.add(handle);
        return () -> Objects.requireNonNull(contestant.join(handle).value());
    }

    @Override
    public void join() {
        handles.forEach(contestant::join);
    }

    @Override
    public void cancel() {
        handles.forEach(contestant::cancel);
    }

    @Override
    public void close() {
        join();
    }
}
