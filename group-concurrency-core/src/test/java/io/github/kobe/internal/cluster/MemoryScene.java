package io.github.kobe.internal.cluster;

import io.github.kobe.cluster.ClusterStore;
import io.github.kobe.cluster.StoreScene;
import java.util.Collection;
import java.util.List;
import java.util.Map;
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
        store.goBackTo(null);
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
    public void remember(Map<String, List<Place>> places) {
        Memory memory = remembered();
        places.forEach((resource, some) -> {
            Collection<Entry> before = memory.entries(resource);
            if (!before.isEmpty()) {
                before.clear();
            }
            some.forEach(place -> memory.put(resource, entry(place)));
        });
        store.goBackTo(memory);
    }

    private static Entry entry(Place place) {
        return new Entry(
                place.session(),
                place.has(),
                place.want(),
                place.limit(),
                place.since(),
                place.granted(),
                place.fell(),
                place.spoke(),
                place.hinted(),
                place.told());
    }

    /** {@return the sessions of which something is remembered at a resource} */
    List<String> sessionsAt(String resource) {
        return remembered().entries(resource).stream().map(Entry::session).toList();
    }
}
