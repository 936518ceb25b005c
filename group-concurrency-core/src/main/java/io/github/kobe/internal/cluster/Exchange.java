package io.github.kobe.internal.cluster;

import io.github.kobe.cluster.Answer;
import io.github.kobe.cluster.Demand;
import io.github.kobe.cluster.Grant;
import io.github.kobe.cluster.Hint;
import io.github.kobe.cluster.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Carries out one statement: sets the clock, begins another epoch if the store may have forgotten, and then, if the session
 * lives and hasn't said so before, divides what it demands.
 *
 * <p>What a node states that it has is taken as true. What is granted comes on top, and only while the sum of what is counted
 * fits the limit; so at every instant what is counted for a node is at least what it may use, and the sum of that is within the
 * limit after each grant.
 */
final class Exchange {

    /** Longer than any time that matters, and short enough to be added up. */
    private static final long LONGEST = 1L << 50;

    private final Memory memory;
    private final Statement statement;

    /** The server's time. */
    private final long real;

    private final Identity identity;

    /** What to tell others, by session. */
    private final Map<String, Set<String>> hints = new LinkedHashMap<>();

    private Exchange(Memory memory, Statement statement, long real, Identity identity) {
        this.memory = memory;
        this.statement = statement;
        this.real = real;
        this.identity = identity;
    }

    /**
     * What came of it.
     *
     * @param memory what the store remembers now
     * @param hints for other sessions
     */
    record Outcome(Memory memory, Answer answer, List<Hint> hints) {}

    /**
     * Carries out a statement.
     *
     * @param known what the store remembers, which is changed; {@code null}: nothing
     * @param learns whether nothing is granted at the beginning of an epoch, since the store can forget
     */
    static Outcome run(@Nullable Memory known, Statement statement, long real, Identity identity, boolean learns) {
        Times times = new Times(statement.lease().toMillis());
        Memory memory = known == null ? new Memory(identity, times, statement.form(), real) : known;
        Exchange exchange = new Exchange(memory, statement, real, identity);
        Answer answer = exchange.answer(known == null, times, learns);
        return new Outcome(memory, answer, exchange.hints());
    }

    private Answer answer(boolean isNew, Times times, boolean learns) {
        if (statement.form() < memory.form()) {
            return refused("form " + statement.form() + ", cluster has " + memory.form());
        }
        boolean forgotten = advance();
        boolean otherLease = !memory.times().equals(times);
        boolean refused = otherLease && !memory.alive().isEmpty();
        if (!refused) {
            memory.agreeOn(times, statement.form());
        }
        if (isNew || forgotten || (otherLease && !refused)) {
            begin(learns);
        }
        return refused ? refused("lease " + shown(times) + ", cluster has " + shown(memory.times())) : answer();
    }

    /** {@return whether the store may have forgotten since the last exchange} Sets the clock to this one. */
    private boolean advance() {
        LogClock clock = memory.clock();
        Session session = memory.session(statement.session());
        long quiet = Math.min(TimeUnit.MILLISECONDS.convert(statement.quiet()), LONGEST);
        Long heard = null;
        if (session != null && statement.after() == session.sequence()) {
            clock.answeredAt(session.real());
            heard = session.spoke();
        }
        long gap = clock.sinceAnswered(real);
        if (session != null && statement.sequence() > session.sequence()) {
            gap = Math.max(gap, quiet - (memory.log() - session.spoke()));
        }
        clock.advance(real, quiet, heard, memory.times());
        return gap >= memory.times().forgotten()
                || !identity.equals(memory.identity())
                || Epochs.isForeign(statement.epoch(), memory.epoch());
    }

    private void begin(boolean learns) {
        long epoch = Epochs.after(
                memory.epoch(), statement.epoch(), identity, real, statement.session(), statement.sequence());
        memory.begin(epoch, identity, learns ? memory.times().lease() : 0);
    }

    private Answer answer() {
        Session before = memory.session(statement.session());
        boolean opens = statement.kind() == Statement.Kind.OPEN;
        if (before == null ? !opens : before.isOver(memory.log())) {
            return without(Answer.Kind.GONE);
        }
        if (before != null && statement.sequence() <= before.sequence()) {
            return without(Answer.Kind.STALE);
        }
        if (statement.kind() == Statement.Kind.CLOSE) {
            end(List.of(statement.session()));
            return granted(List.of());
        }
        renew();
        if (statement.heartbeat()) {
            end(memory.over().stream().map(Session::id).toList());
            memory.sweep();
        }
        return granted(statement.demands().stream().map(this::divide).toList());
    }

    private void renew() {
        long log = memory.log();
        long ends = log + memory.times().lease();
        memory.put(new Session(statement.session(), statement.node(), statement.sequence(), log, real, ends));
    }

    /** Ends sessions, and has all others ask again for what they lack. */
    private void end(List<String> sessions) {
        sessions.forEach(memory::end);
        if (!sessions.isEmpty()) {
            memory.alive().forEach(session -> hint(session.id(), Hint.UNMET));
        }
    }

    private Grant divide(Demand demand) {
        long log = memory.log();
        String resource = demand.resource();
        String session = statement.session();
        memory.dropHint(session, resource);
        List<Entry> entries = new ArrayList<>(memory.entries(resource));
        Entry mine = Entry.stated(session, memory.entry(resource, session), demand, log);
        entries.removeIf(entry -> entry.session().equals(session) || entry.isEmpty());
        int limit = entries.stream().mapToInt(Entry::limit).min().orElse(demand.limit());
        if (!mine.isEmpty()) {
            limit = Math.min(limit, demand.limit());
        }
        entries.add(mine);
        Share share = Division.divide(
                claims(entries, limit),
                entries.size() - 1,
                demand.spare(),
                limit,
                memory.times().pause(),
                log,
                memory.learning() > 0);
        memory.put(resource, mine.answered(share, log));
        for (Entry entry : entries) {
            if (share.hints().contains(entry.session())) {
                memory.put(resource, entry.hinted(log));
                hint(entry.session(), resource);
            }
        }
        memory.dropIfUnclaimed(resource);
        return new Grant(share.counted(), share.keep(), Duration.ofMillis(share.turn()), limit);
    }

    private List<Claim> claims(List<Entry> entries, int limit) {
        return entries.stream()
                .map(entry -> entry.claim(memory.isSilent(entry.session()), limit))
                .toList();
    }

    private void hint(String session, String resource) {
        memory.keepHint(session, resource);
        if (!session.equals(statement.session())) {
            Set<String> told = hints.getOrDefault(session, new LinkedHashSet<>());
            told.add(resource);
            hints.put(session, told);
        }
    }

    private List<Hint> hints() {
        List<Hint> all = new ArrayList<>();
        hints.forEach((session, resources) -> all.add(new Hint(session, List.copyOf(resources))));
        return all;
    }

    private Answer granted(List<Grant> grants) {
        int nodes = statement.heartbeat() ? memory.alive().size() : 0;
        List<String> kept = memory.takeHints(statement.session());
        return new Answer(Answer.Kind.OK, memory.epoch(), learning(), nodes, grants, kept, null);
    }

    private Answer without(Answer.Kind kind) {
        return new Answer(kind, memory.epoch(), learning(), 0, List.of(), List.of(), null);
    }

    private Answer refused(String reason) {
        return new Answer(Answer.Kind.REFUSED, memory.epoch(), learning(), 0, List.of(), List.of(), reason);
    }

    private Duration learning() {
        return Duration.ofMillis(memory.learning());
    }

    private static String shown(Times times) {
        long lease = times.lease();
        return lease % 1_000 == 0 ? lease / 1_000 + "s" : lease + "ms";
    }
}
