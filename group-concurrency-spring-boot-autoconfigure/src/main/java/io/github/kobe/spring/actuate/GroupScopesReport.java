package io.github.kobe.spring.actuate;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.github.kobe.scope.ScopeSnapshot;
import io.github.kobe.scope.ScopeTotals;
import io.github.kobe.scope.Subtask;
import io.github.kobe.spring.internal.settings.PrintableText;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The scopes that are open on an executor at one moment.
 *
 * @param instance the instance of the application that answers
 * @param scopes those that are not inside another one of the executor, the oldest first
 * @param truncated whether there are more scopes, here or inside others
 */
public record GroupScopesReport(String instance, List<Scope> scopes, boolean truncated) {

    static GroupScopesReport of(String instance, List<ScopeSnapshot> live, int most) {
        Showing showing = new Showing(most);
        List<Scope> scopes = showing.all(live);
        return new GroupScopesReport(instance, scopes, showing.truncated);
    }

    /**
     * A scope.
     *
     * @param id its number
     * @param name its name
     * @param parent the number of the scope that it was opened inside; null: none
     * @param owner the thread that opened it
     * @param openedAt when it was opened
     * @param deadline when its time is up; null: never
     * @param cancelled whether it is cancelled
     * @param totals how its forks have ended
     * @param unfinished how many forks have not ended
     * @param forks the unfinished forks, the oldest first, at most 100; those with open scopes rather than older ones
     * @param holders for each group that one of these is queued for, who has the group's permits
     * @param scopes those that its owner has opened inside it; those opened in its forks are listed with the forks
     */
    @JsonInclude(JsonInclude.Include.ALWAYS)
    public record Scope(
            long id,
            String name,
            @Nullable Long parent,
            Owner owner,
            Instant openedAt,
            @Nullable Instant deadline,
            boolean cancelled,
            Totals totals,
            long unfinished,
            List<Fork> forks,
            Map<String, List<GroupReport.Holder>> holders,
            List<Scope> scopes) {}

    /**
     * The owner of a scope.
     *
     * @param thread the name of its thread; null: it has none
     * @param phase what it does: whether it runs its code, or waits in one of the scope's methods
     */
    @JsonInclude(JsonInclude.Include.ALWAYS)
    public record Owner(@Nullable String thread, ScopeSnapshot.Owner phase) {}

    /**
     * A fork that has not ended.
     *
     * @param id its number in its scope
     * @param name its name
     * @param group the group that it runs in
     * @param phase its progress
     * @param forkedAt when it was forked
     * @param thread the name of the thread that runs it; null: none does
     * @param scopes those that are open in it
     */
    @JsonInclude(JsonInclude.Include.ALWAYS)
    public record Fork(
            long id,
            String name,
            String group,
            Subtask.Phase phase,
            Instant forkedAt,
            @Nullable String thread,
            List<Scope> scopes) {}

    /**
     * How the forks of a scope have ended.
     *
     * @param started how many have begun to run
     * @param succeeded how many have ended with a value
     * @param failed how many have failed
     * @param cancelled how many were cancelled
     * @param total how long all that have ended ran, added up
     * @param longest how long the longest attempt took
     */
    public record Totals(long started, long succeeded, long failed, long cancelled, Duration total, Duration longest) {

        private static Totals of(ScopeTotals totals) {
            return new Totals(
                    totals.started(),
                    totals.succeeded(),
                    totals.failed(),
                    totals.cancelled(),
                    totals.total(),
                    totals.longest());
        }
    }

    /** Makes reports of snapshots, each before what is inside it, until there are enough. */
    private static final class Showing {

        private int left;
        private boolean truncated;

        Showing(int most) {
            left = most;
        }

        List<Scope> all(List<ScopeSnapshot> snapshots) {
            List<Scope> shown = new ArrayList<>();
            for (ScopeSnapshot snapshot : snapshots) {
                if (left == 0) {
                    truncated = true;
                    break;
                }
                left--;
                shown.add(scope(snapshot));
            }
            return shown;
        }

        private Scope scope(ScopeSnapshot snapshot) {
            Map<String, List<GroupReport.Holder>> holders = new TreeMap<>();
            snapshot.holders()
                    .forEach((group, all) -> holders.put(
                            PrintableText.wellFormed(group),
                            all.stream().map(GroupReport.Holder::of).toList()));
            List<Scope> inside = all(snapshot.scopes());
            truncated |= snapshot.truncated();
            String owner = PrintableText.wellFormed(snapshot.scope().owner());
            return new Scope(
                    snapshot.scope().id(),
                    PrintableText.wellFormed(snapshot.scope().name()),
                    snapshot.scope().parentId().isPresent()
                            ? snapshot.scope().parentId().getAsLong()
                            : null,
                    new Owner(owner.isEmpty() ? null : owner, snapshot.owner()),
                    snapshot.scope().openedAt(),
                    snapshot.scope().deadline().orElse(null),
                    snapshot.cancelled(),
                    Totals.of(snapshot.totals()),
                    snapshot.unfinished(),
                    snapshot.forks().stream().map(this::fork).toList(),
                    holders,
                    inside);
        }

        private Fork fork(ScopeSnapshot.Fork fork) {
            return new Fork(
                    fork.fork().id(),
                    PrintableText.wellFormed(fork.fork().name()),
                    PrintableText.wellFormed(fork.fork().group()),
                    fork.phase(),
                    fork.fork().forkedAt(),
                    fork.threadName().map(PrintableText::wellFormed).orElse(null),
                    all(fork.scopes()));
        }
    }
}
