package io.github.kobe.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.model.Explored.Exploration;
import io.github.kobe.model.Explored.Question;
import io.github.kobe.testing.BuildOutput;
import io.github.kobe.testing.Depth;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The model of the engine in src/test/promela, explored exhaustively, and seeded with bugs to see that it finds them.
 * docs/internals/verification/model.md says how model and engine correspond. A deep build explores what has changed since
 * it was explored, a long one all. A run leaves {@code target/explored.txt}, the record to keep.
 */
@Tag("deep")
@Tag("spin")
@Execution(ExecutionMode.CONCURRENT)
@Timeout(value = 30, unit = TimeUnit.MINUTES)
class ModelTests {

    private static final List<String> CONFIGURATIONS = List.of(
            "admission TASKS=3",
            "admission TASKS=3 ASYNC_TASKS=5 LIMIT=1",
            "handoff TASKS=2 CALLERS=1 FUTURES=0",
            "handoff TASKS=1 CALLERS=1 FUTURES=1 CANCELS=0",
            "handoff TASKS=1 CALLERS=1 FUTURES=0 TIMED",
            "groups GROUPS=2 PER_GROUP=4 GLOBAL_LIMIT=1 WEIGHTED FIRST_WEIGHT=2 RING_WITNESS LIMIT=2",
            "groups GROUPS=3 PER_GROUP=2 GLOBAL_LIMIT=1 WEIGHTED FIRST_WEIGHT=2 RING_WITNESS LIMIT=2",
            "groups PER_GROUP=1 SWITCHING FIRST_GLOBAL_LIMIT=1 SECOND_GLOBAL_LIMIT=UNLIMITED",
            "groups GROUPS=1 PER_GROUP=3 RESIZES=2",
            "groups PER_GROUP=2 GLOBAL_LIMIT=2 FIRST_GLOBAL_LIMIT=1 SECOND_GLOBAL_LIMIT=3 RESIZES=1",
            "lending SAME_GROUP DEPTH=2 IMPATIENT",
            "lending OTHER_GROUP IMPATIENT CANCELLED=1",
            "lending VISIT",
            "shutdown FORCED GROUPS=1 PER_GROUP=2",
            "shutdown FORCED GROUPS=2 PER_GROUP=1",
            "shutdown DRAINED GROUPS=1 PER_GROUP=2",
            "shutdown TIMED GROUPS=1 PER_GROUP=2",
            "shutdown GROUP_STOPPED GROUPS=1 PER_GROUP=2",
            "cap CAP=1 GROUPS=3 STRIPES=2 NO_WAIT=1",
            "cap CAP=2 GROUPS=3 STRIPES=2 BORN",
            "cap CAP=1 FIRST=2 STRIPES=2",
            "cap CAP=1 FIRST=2 NO_WAIT=1 CANCELLED=6",
            "cap CAP=1 FIRST=4 BUSY TURNS",
            "cap CAP=2 FIRST=3 SECOND=2 STRIPES=2 BUSY TURNS",
            "cap LIMITS=1 NEXT_CAP=1 FIRST=2 LIMIT=2",
            "cap LIMITS=2 NEXT_CAP=2 LAST_CAP=1 FIRST=2 STRIPES=2",
            "cap LIMITS=2 NEXT_CAP=1 LAST_CAP=UNLIMITED FIRST=2",
            "cap WATCHED CAP=1 LIMITS=1 NEXT_CAP=2",
            "cap LENDER CAP=1 FIRST=2 STRIPES=2",
            "cap CAP=2 FIRST=2 LIMIT=2 HEADROOM=1",
            "cap CAP=3 FIRST=3 LIMIT=3 HEADROOM=1",
            "cap CAP=2 GROUPS=3 FIRST=2 LIMIT=2 GUARANTEED=2",
            "cap CAP=2 GROUPS=3 FIRST=2 LIMIT=2 HEADROOM=1 GUARANTEED=2",
            "cap CAP=3 GROUPS=3 FIRST=2 LIMIT=2 HEADROOM=1 GUARANTEED=3",
            "shared IMPATIENT",
            "shared SHARED IMPATIENT",
            "shared OTHERS=3",
            "shared CARRIED IMPATIENT",
            "resting AT_WORK=1 IMPATIENT",
            "resting AT_WORK=1 HURRIED",
            "resting LENDERS=3 IMPATIENT",
            "carried CARRIED=2 PLAIN=1",
            "carried CARRIED=3 PLAIN=0",
            "offer FLAT IMPATIENT",
            "offer SIDE IMPATIENT",
            "offer CHAIN IMPATIENT",
            "offer CHAIN HURRIED",
            "offer FLAT RESIZES=2",
            "offer CHAIN RESIZES=2 IMPATIENT",
            "offer SIDE PAUSES IMPATIENT",
            "offer CHAIN PAUSES IMPATIENT",
            "offer SIDE GROWS",
            "offer SIDE GLOBAL_LIMIT=2 IMPATIENT",
            "tokens LOANS ONE_BY_ONE",
            "tokens LOANS GATED ONE_BY_ONE",
            "tokens IN_ORDER",
            "tokens IN_ORDER GATED",
            "lease STATEMENTS=4 SESSIONS=1 SHORT",
            "lease STATEMENTS=4",
            "lease AT_FIRST=0 SESSIONS=1",
            "lease SESSIONS=1 BARE",
            "lease LIMIT=2 SESSIONS=1",
            "lease STALLS=1",
            "lease STATEMENTS=4 OTHERS=3 SESSIONS=1 STALLS=1 SHORT",
            "lease LIMIT=2 OTHERS=2 SESSIONS=1 STALLS=1",
            "lease OTHERS=2 SESSIONS=1 STALLS=2",
            "lease OTHERS=2 FORGETS=1 AT_FIRST=1",
            "lease OTHERS=2 SESSIONS=1 RETURNS=1",
            "lease SESSIONS=1 SWAPS=1 REPLICA",
            "lease LIMIT=2 OTHERS=2 SESSIONS=1 SWAPS=1 REPLICA",
            "lease STATEMENTS=4 OTHERS=2 SWAPS=1 AT_FIRST=1",
            "lease OTHERS=2 SESSIONS=1 SWAPS=2 REPLICA",
            "rate LIMIT=2",
            "rate TASKS=4 BURST=2",
            "rate CHANGES=2",
            "rate FORGETS=2",
            "rate CHANGES=1 FORGETS=1",
            "globalrate TASKS=4 PASSES=3",
            "globalrate TASKS=3 BURST=1 SPREAD=0",
            "globalrate TASKS=5 BURST=3 SPREAD=2 PASSES=2");

    /** They take minutes and some gigabytes of memory. */
    private static final List<String> LARGE = List.of(
            "admission TASKS=4 RETIREMENTS=2",
            "admission TASKS=4 ASYNC_TASKS=5 LIMIT=1",
            "handoff TASKS=4 CALLERS=0 FUTURES=0",
            "handoff TASKS=2 CALLERS=1 FUTURES=1",
            "handoff TASKS=1 CALLERS=1 FUTURES=1 TIMED",
            "groups GROUPS=3 PER_GROUP=3 GLOBAL_LIMIT=1 WEIGHTED FIRST_WEIGHT=2 RING_WITNESS LIMIT=2",
            "groups PER_GROUP=4 GLOBAL_LIMIT=2 FIRST_GLOBAL_LIMIT=1 SECOND_GLOBAL_LIMIT=3",
            "groups PER_GROUP=2 SWITCHING FIRST_GLOBAL_LIMIT=1 SECOND_GLOBAL_LIMIT=UNLIMITED",
            "groups PER_GROUP=2 SWITCHING FIRST_GLOBAL_LIMIT=2 SECOND_GLOBAL_LIMIT=1",
            "groups GROUPS=1 PER_GROUP=4 RESIZES=3",
            "lending SAME_GROUP DEPTH=2 IMPATIENT LIMIT=2 GLOBAL_LIMIT=2",
            "lending VISIT IMPATIENT LIMIT=2 GLOBAL_LIMIT=2",
            "lending VISIT_LENDS IMPATIENT",
            "cap CAP=2 FIRST=2 SECOND=2 STRIPES=2",
            "cap CAP=2 FIRST=2 SECOND=2 SECOND_LIMIT=2 BOUND",
            "cap CAP=1 FIRST=2 SECOND=2 LIMIT=2 BOUND TURNS",
            "cap CAP=1 FIRST=3 CANCELLED=2",
            "cap CAP=2 LIMITS=2 NEXT_CAP=1 LAST_CAP=2 FIRST=2 SECOND_LIMIT=2 STRIPES=2",
            "cap WATCHED LIMITS=1 NEXT_CAP=1 FIRST=2",
            "shared SHARED OTHERS=3 IMPATIENT",
            "resting LENDERS=3 AT_WORK=1 IMPATIENT",
            "carried CARRIED=2 PLAIN=2",
            "carried CARRIED=3 PLAIN=1",
            "offer FLAT LIMIT=2 GLOBAL_LIMIT=2 IMPATIENT",
            "offer CHAIN GROWS IMPATIENT",
            "lease STATEMENTS=4 OTHERS=2 FORGETS=1 AT_FIRST=1",
            "lease LIMIT=2 STATEMENTS=4 SESSIONS=1",
            "lease LIMIT=2 SESSIONS=1 STALLS=1",
            "lease SESSIONS=1 STALLS=2",
            "lease LIMIT=2 OTHERS=2 SESSIONS=1 RETURNS=1",
            "rate TASKS=4 LIMIT=2 PASSES=6",
            "rate TASKS=4 BURST=2 SUSTAINED=3 PASSES=5",
            "globalrate TASKS=5 PASSES=3");

    /** For liveness, which costs more. */
    private static final List<String> FAIR = List.of(
            "admission TASKS=3",
            "handoff TASKS=1 CALLERS=1 FUTURES=0",
            "groups PER_GROUP=1 SWITCHING FIRST_GLOBAL_LIMIT=1 SECOND_GLOBAL_LIMIT=UNLIMITED",
            "groups PER_GROUP=3 GLOBAL_LIMIT=1 WEIGHTED FIRST_WEIGHT=2 LIMIT=2",
            "lending SAME_GROUP DEPTH=2 IMPATIENT",
            "shutdown FORCED GROUPS=1 PER_GROUP=1",
            "cap CAP=1 FIRST=2",
            "cap CAP=2 FIRST=2 LIMIT=2 HEADROOM=1",
            "cap LIMITS=1 NEXT_CAP=1",
            "shared SHARED",
            "shared CARRIED",
            "resting AT_WORK=1",
            "carried CARRIED=2 PLAIN=1",
            "offer CHAIN");

    /** With a bug each, which a macro seeds. */
    private static final List<String> SEEDED = List.of(
            "admission TASKS=3 BUG_CHECK_THEN_ACT",
            "admission TASKS=3 BUG_LOST_WAKEUP",
            "admission TASKS=3 BUG_DEAD_UNSEEN",
            "admission TASKS=3 BUG_GIVE_BACK_UNSEEN",
            "admission TASKS=3 BUG_RELEASE_WITHOUT_HANDOFF",
            "handoff TASKS=2 CALLERS=1 FUTURES=0 BUG_TAKES_FOR_THE_GONE",
            "handoff TASKS=2 CALLERS=1 FUTURES=0 BUG_INTERRUPTED_KEEPS",
            "handoff TASKS=1 CALLERS=1 FUTURES=1 CANCELS=0 BUG_FUTURE_KEEPS",
            "handoff TASKS=2 CALLERS=0 FUTURES=0 BUG_GRANTS_THE_GONE",
            "handoff TASKS=2 CALLERS=0 FUTURES=0 BUG_CANCEL_CHECKS_THEN_ACTS",
            "groups PER_GROUP=3 GLOBAL_LIMIT=1 WEIGHTED FIRST_WEIGHT=2 RING_WITNESS LIMIT=2 BUG_NEWCOMER_FIRST",
            "groups PER_GROUP=3 GLOBAL_LIMIT=1 WEIGHTED FIRST_WEIGHT=2 RING_WITNESS LIMIT=2 BUG_SAME_AGAIN",
            "groups PER_GROUP=1 SWITCHING FIRST_GLOBAL_LIMIT=1 SECOND_GLOBAL_LIMIT=UNLIMITED BUG_GUARD_NOT_READ_AGAIN",
            "groups PER_GROUP=1 SWITCHING FIRST_GLOBAL_LIMIT=1 SECOND_GLOBAL_LIMIT=UNLIMITED BUG_ADOPTS_NOTHING",
            "groups PER_GROUP=1 SWITCHING FIRST_GLOBAL_LIMIT=1 SECOND_GLOBAL_LIMIT=UNLIMITED BUG_ATTACHES_ONE",
            "groups GROUPS=1 PER_GROUP=3 RESIZES=1 BUG_SHRINK_FORGETS_WHAT_IS_OUT",
            "groups GROUPS=1 PER_GROUP=3 RESIZES=1 BUG_GROWS_WITHOUT_A_LOOK",
            "lending SAME_GROUP BUG_FORGETS_HAND_BACK",
            "lending SAME_GROUP NODES=4 IMPATIENT LIMIT=2 GLOBAL_LIMIT=2 BUG_RECLAIM_UNHEARD",
            "lending VISIT IMPATIENT LIMIT=2 GLOBAL_LIMIT=2 BUG_TAKES_THE_NEXT_UNSEEN",
            "shutdown FORCED GROUPS=1 PER_GROUP=2 BUG_NO_SECOND_LOOK",
            "shutdown FORCED GROUPS=1 PER_GROUP=2 BUG_STATE_SEEN_OUTSIDE",
            "shutdown FORCED GROUPS=1 PER_GROUP=2 BUG_NOT_TURNED_ON",
            "shutdown FORCED GROUPS=1 PER_GROUP=2 BUG_BORN_FAST",
            "cap CAP=1 BUG_FLAG_WITHOUT_FREEZE",
            "cap CAP=1 BUG_FREEZE_LOSES",
            "cap CAP=1 BUG_GIVE_TO_FROZEN_IS_DROPPED",
            "cap CAP=1 FIRST=2 BUG_LEAVES_WITHOUT_BINDING",
            "cap CAP=1 FIRST=2 BUG_BINDS_WITHOUT_ENTERING",
            "cap CAP=2 FIRST=2 BUG_CREDIT_NOT_PUT_BACK",
            "cap CAP=1 FIRST=3 BUSY BUG_PASSES_ON_UNSEEN",
            "cap CAP=1 GROUPS=3 STRIPES=2 NO_WAIT=3 BUG_REFUSES_WHILE_LOOSE",
            "cap LIMITS=1 NEXT_CAP=1 BUG_MISSES_THE_FIRST_LIMIT",
            "cap LIMITS=1 NEXT_CAP=2 FIRST=2 LIMIT=2 BUG_MODE_NOT_IN_THE_WORD",
            "cap LENDER CAP=1 BUG_THAWS_WITH_A_RECLAIMER",
            "cap CAP=1 BUG_THAWS_WITH_A_GROUP_IN_THE_RING",
            "cap CAP=2 FIRST=2 LIMIT=2 HEADROOM=1 BUG_HEADROOM_FOR_ALL",
            "cap CAP=2 FIRST=2 LIMIT=2 HEADROOM=1 BUG_THAWS_THE_HEADROOM",
            "cap CAP=2 GROUPS=3 FIRST=2 LIMIT=2 HEADROOM=1 GUARANTEED=2 BUG_GUARANTEES_NOTHING",
            "resting BUG_COUNTS_WHO_WAITS",
            "resting BUG_GOES_ON_WHILE_LENT",
            "resting BUG_FORGETS_THE_OTHERS",
            "resting AT_WORK=1 HURRIED BUG_READS_THE_LOAN_FIRST",
            "shared BUG_JOINS_WHAT_IS_LENT",
            "shared BUG_LENDS_AMONG_OTHERS",
            "shared BUG_LEAVES_UNHEARD",
            "shared SHARED BUG_COUNTS_THE_ENDED",
            "shared CARRIED BUG_LENDS_AMONG_OTHERS",
            "shared CARRIED BUG_OUTLIVES_UNCOUNTED",
            "shared CARRIED BUG_OUTLIVES_UNLOCKED",
            "carried CARRIED=2 PLAIN=1 BUG_COUNTS_FIRST",
            "carried CARRIED=2 PLAIN=1 BUG_GIVES_BACK_FIRST",
            "carried CARRIED=2 PLAIN=1 BUG_KEEPS_THE_CREDIT",
            "offer FLAT BUG_NO_SECOND_LOOK",
            "offer FLAT BUG_LOOKS_FIRST",
            "offer FLAT BUG_LENDS_TWICE",
            "offer CHAIN IMPATIENT BUG_LENDS_WHAT_IS_WITHDRAWN",
            "offer CHAIN HURRIED BUG_LENDS_NOTHING_WITHDRAWN",
            "offer CHAIN BUG_FORGETS_HAND_BACK",
            "offer FLAT LIMIT=2 GLOBAL_LIMIT=2 IMPATIENT BUG_RECLAIM_UNHEARD",
            "offer SIDE GROWS BUG_TAKES_NO_FREE_GLOBAL",
            "tokens KEEPS_OTHERS",
            "tokens KEEPS_OTHERS QUEUED",
            "tokens AT_ONCE",
            "tokens AT_ONCE GATED",
            "tokens IN_ORDER ONE_BY_ONE",
            "lease SESSIONS=1 BUG_NOSEQ",
            "lease SESSIONS=1 BUG_OPENRESETS",
            "lease SESSIONS=1 BUG_OLDANSWERS",
            "lease SESSIONS=1 BUG_NOMARGIN",
            "lease SESSIONS=1 STALLS=1 BUG_NOCHECK",
            "lease SESSIONS=1 STALLS=1 BUG_NOTERM",
            "lease SESSIONS=1 STALLS=1 BUG_NODEADLINEAFTERANSWER",
            "lease OTHERS=2 SESSIONS=1 RETURNS=1 BUG_RUNIDONLY",
            "lease STATEMENTS=2 SESSIONS=1 FORGETS=1 AT_FIRST=1 BUG_NOLEARN",
            "lease OTHERS=2 SESSIONS=1 RETURNS=1 BARE BUG_RENEWEARLY",
            "lease SESSIONS=1 SWAPS=2 REPLICA AT_FIRST=1 BUG_NOGAP",
            "lease SESSIONS=1 SWAPS=2 REPLICA QUICK",
            "lease SEES_START",
            "lease SEES_HAND_OVER",
            "lease SEES_GONE",
            "lease SEES_EXCESS",
            "lease SESSIONS=1 STALLS=1 SEES_NEXT_TERM",
            "lease STATEMENTS=4 OTHERS=2 FORGETS=1 AT_FIRST=1 SEES_KEPT",
            "lease STATEMENTS=4 OTHERS=2 FORGETS=1 AT_FIRST=1 SEES_RESTATED",
            "lease STATEMENTS=4 OTHERS=2 FORGETS=1 AT_FIRST=1 SEES_LEARNT",
            "rate TASKS=2 BUG_READS_AGAIN",
            "rate BUG_CHARGES_THE_OLD_READING",
            "rate BUG_ARMS_FOR_WHO_COMES",
            "rate BUG_ALARM_STAYS",
            "rate CHANGES=2 BUG_KEEPS_THE_LATER_ALARM",
            "rate FORGETS=1 BUG_FORGETS_WHAT_COUNTS",
            "globalrate TASKS=4 BUG_READS_BEFORE_IT_FREEZES",
            "globalrate TASKS=4 BUG_SPREADS_MORE",
            "globalrate TASKS=3 BUG_NO_ALARM",
            "globalrate TASKS=3 BUG_LOOSE_WHILE_IT_WAITS",
            "globalrate TASKS=3 BUG_ALARM_STAYS");

    private static Explored explored;

    @TempDir
    Path work;

    @BeforeAll
    static void spinIsInstalled() {
        assertThat(Spin.isInstalled())
                .as("Needs Spin and a C compiler; on Debian: apt-get install spin gcc libc6-dev")
                .isTrue();
        explored = new Explored(Explored.RECORD, Spin.MODELS, Spin.version());
        long remembered = asked().filter(explored::contains).count();
        BuildOutput.tell("The model: " + remembered + " of " + asked().count() + " explorations are on record"
                + (Depth.current() == Depth.LONG ? ", and are repeated" : ", and are not repeated"));
    }

    @AfterAll
    static void writeWhatWasExplored() {
        explored.write(Path.of("target/explored.txt"), all());
    }

    /** {@return what this class can ask; a deep build leaves out what is large} */
    static Stream<Exploration> all() {
        return Stream.of(
                        explorations(Question.SAFE, CONFIGURATIONS),
                        explorations(Question.SAFE, LARGE),
                        explorations(Question.LIVE, FAIR),
                        explorations(Question.SEEDED, SEEDED))
                .flatMap(explorations -> explorations);
    }

    private static Stream<Exploration> explorations(Question question, List<String> configurations) {
        return configurations.stream().map(configuration -> new Exploration(question, configuration));
    }

    private static Stream<Exploration> asked() {
        return all().filter(
                        exploration -> Depth.current() == Depth.LONG || !LARGE.contains(exploration.configuration()));
    }

    private static Stream<Exploration> toExplore(Question question) {
        return asked().filter(exploration -> exploration.question() == question)
                .filter(exploration -> Depth.current() == Depth.LONG || !explored.contains(exploration));
    }

    static Stream<Exploration> safe() {
        return toExplore(Question.SAFE);
    }

    static Stream<Exploration> live() {
        return toExplore(Question.LIVE);
    }

    static Stream<Exploration> seeded() {
        return toExplore(Question.SEEDED);
    }

    @ParameterizedTest(allowZeroInvocations = true)
    @MethodSource("safe")
    void noReachableStateBreaksAnInvariantOrLeavesAnybodyWaiting(Exploration exploration) {
        boolean large = LARGE.contains(exploration.configuration());
        Spin.Report report = new Spin(work, large).explore(exploration.model(), exploration.defines());

        assertHolds(report, exploration);
    }

    @ParameterizedTest(allowZeroInvocations = true)
    @MethodSource("live")
    void everyTaskEndsInEachFairRun(Exploration exploration) {
        Spin.Report report = new Spin(work, false).explore(exploration.model(), exploration.defines(), "everyTaskEnds");

        assertHolds(report, exploration);
    }

    @ParameterizedTest(allowZeroInvocations = true)
    @MethodSource("seeded")
    void aSeededBugIsFound(Exploration exploration) {
        Spin.Report report = new Spin(work, false).explore(exploration.model(), exploration.defines());

        assertThat(report.errors()).as(report.text()).isPositive();
        explored.add(exploration, report.states());
    }

    private static void assertHolds(Spin.Report report, Exploration exploration) {
        assertThat(report.errors()).as(report.text()).isZero();
        assertThat(report.complete()).as(report.text()).isTrue();
        explored.add(exploration, report.states());
    }
}
