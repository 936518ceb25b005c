package io.github.kobe.internal.cluster;

import io.github.kobe.cluster.ClusterStore;
import io.github.kobe.cluster.StoreScene;
import java.util.List;
import java.util.Set;

/** A store in memory, on a server whose clock and identity a test sets. */
public final class MemoryScene extends StoreScene implements Server {

    private final InMemoryStore store;

    public MemoryScene(boolean learns) {
        store = new InMemoryStore(this, learns);
        store.onHint(this::told);
    }

    @Override
    public Identity identity() {
        return new Identity(runId(), replicationId());
    }

    @Override
    public ClusterStore store() {
        return store;
    }

    @Override
    public Memory remembered() {
        Memory memory = store.remembered();
        if (memory == null) {
            throw new IllegalStateException("it remembers nothing");
        }
        return memory;
    }

    @Override
    public void goBackTo(Object earlier) {
        store.goBackTo((Memory) earlier);
    }

    @Override
    public void forgetEverything() {
        store.forgetEverything();
    }

    @Override
    public long log() {
        return remembered().log();
    }

    @Override
    public Set<String> resources() {
        return remembered().resources();
    }

    @Override
    public void remember(String resource, List<Place> places) {
        Memory memory = remembered();
        for (Entry before : List.copyOf(memory.entries(resource))) {
            memory.entries(resource).remove(before);
        }
        for (Place place : places) {
            memory.put(
                    resource,
                    new Entry(
                            place.session(),
                            place.has(),
                            place.want(),
                            place.limit(),
                            place.since(),
                            place.granted(),
                            place.fell(),
                            place.spoke(),
                            place.hinted(),
                            place.told()));
        }
        store.goBackTo(memory);
    }

    /** {@return the sessions of which something is remembered at a resource} */
    List<String> sessionsAt(String resource) {
        return remembered().entries(resource).stream().map(Entry::session).toList();
    }
}
