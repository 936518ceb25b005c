package io.github.kobe.scope;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Hears which forks end: each once, if all is well. */
final class HeardEnds implements ScopeListener {

    /** By their numbers. */
    final List<Long> forks = new CopyOnWriteArrayList<>();

    @Override
    public void onSuccess(ForkInfo fork, Duration ran) {
        forks.add(fork.id());
    }

    @Override
    public void onFailure(ForkInfo fork, Throwable failure, Duration ran) {
        forks.add(fork.id());
    }

    @Override
    public void onCancel(ForkInfo fork, Duration ran) {
        forks.add(fork.id());
    }
}
