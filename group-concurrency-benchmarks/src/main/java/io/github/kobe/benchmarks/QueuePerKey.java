package io.github.kobe.benchmarks;

import io.github.kobe.GroupResult;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;

/** A queue for each group and a future for each task, whose thread is made when its turn comes. */
final class QueuePerKey implements Contestant<CompletableFuture<GroupResult<Integer>>> {

    private record Job(Timed task, CompletableFuture<GroupResult<Integer>> future) {}

    private static final class Line {
        private final Queue<Job> jobs = new LinkedBlockingQueue<>();
        private final Semaphore permits;

        Line(int limit) {
            permits = new Semaphore(limit);
        }

        void add(Job job) {
            jobs.add(job);
            startNext();
        }

        /** Looks again after each permit given back: whoever came meanwhile has seen none. */
        private void startNext() {
            while (!jobs.isEmpty() && permits.tryAcquire()) {
                Job job = jobs.poll();
                while (job != null && job.future.isDone()) {
                    job = jobs.poll();
                }
                if (job != null) {
                    Job next = job;
                    Thread.startVirtualThread(() -> run(next));
                } else {
                    permits.release();
                }
            }
        }

        private void run(Job job) {
            try {
                job.future.complete(job.task.call());
            } finally {
                permits.release();
                startNext();
            }
        }
    }

    private final ConcurrentMap<String, Line> lines = new ConcurrentHashMap<>();
    private final int limit;

    QueuePerKey(Limits limits) {
        limit = limits.perGroup();
    }

    @Override
    public CompletableFuture<GroupResult<Integer>> submit(String group, String id, Callable<Integer> task) {
        CompletableFuture<GroupResult<Integer>> future = new CompletableFuture<>();
        Line line = lines.get(group);
        if (line == null) {
            line = lines.computeIfAbsent(group, key -> new Line(limit));
        }
        line.add(new Job(new Timed(group, id, task), future));
        return future;
    }

    @Override
    public GroupResult<Integer> join(CompletableFuture<GroupResult<Integer>> handle) {
        return handle.join();
    }

    /** Removing it from the queue would look through all of it, so it is passed over in its turn. */
    @Override
    public void cancel(CompletableFuture<GroupResult<Integer>> handle) {
        handle.cancel(false);
    }

    @Override
    public boolean isCancelled(CompletableFuture<GroupResult<Integer>> handle) {
        return handle.isCancelled();
    }

    @Override
    public void close() {}
}
