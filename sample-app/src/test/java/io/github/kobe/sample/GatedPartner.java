package io.github.kobe.sample;

import io.github.kobe.sample.partner.Pace;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/** Holds every request at the partner until the test lets it go, and notes the order in which they came. */
final class GatedPartner implements Pace {

    private record Held(String tenant, CompletableFuture<Void> answer) {}

    private final List<String> arrivals = new ArrayList<>();
    private final Queue<Held> held = new ArrayDeque<>();
    private boolean open;
    private int openForMillis;

    @Override
    public synchronized CompletionStage<Void> answer(String tenant) {
        arrivals.add(tenant);
        CompletableFuture<Void> answer = new CompletableFuture<>();
        if (open) {
            return answer.completeOnTimeout(null, openForMillis, TimeUnit.MILLISECONDS);
        }
        held.add(new Held(tenant, answer));
        return answer;
    }

    /** The tenants of all requests so far, the first one first. */
    synchronized List<String> arrivals() {
        return List.copyOf(arrivals);
    }

    synchronized long held() {
        return held.size();
    }

    synchronized long held(String tenant) {
        return held.stream().filter(request -> request.tenant().equals(tenant)).count();
    }

    /** Answers the request that has been held longest. */
    synchronized void release() {
        held.remove().answer().complete(null);
    }

    /** Answers the request of a tenant that has been held longest. */
    synchronized void release(String tenant) {
        Iterator<Held> requests = held.iterator();
        while (requests.hasNext()) {
            Held request = requests.next();
            if (request.tenant().equals(tenant)) {
                requests.remove();
                request.answer().complete(null);
                return;
            }
        }
        throw new AssertionError("No request of " + tenant + " is held");
    }

    /** From now on holds every request again, and forgets those that came. */
    synchronized void shut() {
        open = false;
        arrivals.clear();
    }

    /** Answers what is held, and from now on everything at once. */
    void open() {
        open(0);
    }

    /** Answers what is held, and from now on everything within a few milliseconds. */
    synchronized void open(int millis) {
        open = true;
        openForMillis = millis;
        held.forEach(request -> request.answer().complete(null));
        held.clear();
    }
}
