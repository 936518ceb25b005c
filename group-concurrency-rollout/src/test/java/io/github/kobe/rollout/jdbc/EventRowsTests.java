package io.github.kobe.rollout.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.rollout.Occurrence;
import io.github.kobe.rollout.PlanId;
import io.github.kobe.rollout.PlanStatus;
import io.github.kobe.rollout.RecordedEvent;
import io.github.kobe.rollout.RolloutEvent;
import io.github.kobe.rollout.RolloutStatus;
import io.github.kobe.rollout.Stage;
import io.github.kobe.rollout.internal.rules.PlanRecord;
import io.github.kobe.rollout.internal.rules.PlanStore;
import io.github.kobe.rollout.internal.rules.Samples;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Depth;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Events of newer versions, and of transactions that end late. */
@ParameterizedClass(name = "{0}")
@MethodSource("io.github.kobe.rollout.jdbc.TestDatabase$Product#ofThisDepth")
class EventRowsTests {

    private static final PlanId PLAN = Samples.PLAN;
    private static final Occurrence RUNNING = new Occurrence.PlanEntered(PlanStatus.RUNNING);

    private static final int BACKLOG = Depth.pick(2_000, 5_000, 50_000);

    @Parameter
    private TestDatabase.Product product;

    private TestDatabase database;
    private JdbcTemplate tables;
    private PlanStore store;

    @BeforeEach
    void openDatabase() {
        database = product.open();
        tables = new JdbcTemplate(database.dataSource());
        store = JdbcRolloutStore.of(database.dataSource()).plans();
    }

    @AfterEach
    void closeDatabase() {
        database.close();
    }

    private void insert(long sequence, String type, String status, String body) {
        tables.update(
                "insert into rollout_event (plan_id, task_id, sequence, type, status, happened_at, message, body)"
                        + " values (?, '', ?, ?, ?, current_timestamp, 'as it is', ?)",
                PLAN.value(),
                sequence,
                type,
                status,
                body);
    }

    private static List<String> lines(List<RolloutEvent> events) {
        return events.stream()
                .map(event -> event.sequenceId() + " " + event.status().name() + " " + event.occurrence())
                .toList();
    }

    @Test
    @Tag("R82")
    @Tag("R162")
    void eventsThatANewerVersionHasWrittenAreDeliveredInOrderAsUnknown() throws Exception {
        List<RolloutEvent> told = new CopyOnWriteArrayList<>();
        Node closed = new Node("n1", database.dataSource(), List.of(Stage.named("A")), told::add);
        closed.close();
        closed.rollouts().create(Fleet.plan(PLAN.value(), 1, 1));
        insert(4, "PlanMoved", "HALTED", "{\"to\":\"Mars\"}");
        insert(5, "PlanEntered", "RUNNING", "{\"status\":\"RUNNING\",\"since\":7}");
        insert(6, "PlanEntered", "HALTED", "{\"status\":\"HALTED\"}");
        insert(7, "TaskRollingBack", "RUNNING", "{\"reason\":\"why not\"}");
        insert(8, "PlanEntered", "RUNNING", "not JSON");
        tables.update("update rollout_plan set sequence = 8");

        try (Node node = new Node("n2", database.dataSource(), List.of(Stage.named("A")), told::add)) {
            node.rollouts().start(PLAN);
            assertThat(node.rollouts().await(PLAN, Deadline.LONG).status()).isEqualTo(PlanStatus.COMPLETED);
            assertThat(lines(told.stream()
                            .filter(event -> event.taskId() == null)
                            .toList()))
                    .containsExactly(
                            "1 CREATED PlanEntered[status=CREATED]",
                            "2 VALIDATING PlanEntered[status=VALIDATING]",
                            "3 READY PlanEntered[status=READY]",
                            "4 HALTED Unknown[type=PlanMoved, body={\"to\":\"Mars\"}]",
                            "5 RUNNING PlanEntered[status=RUNNING]",
                            "6 HALTED Unknown[type=PlanEntered, body={\"status\":\"HALTED\"}]",
                            "7 RUNNING TaskRollingBack[reason=why not, stages=[]]",
                            "8 RUNNING Unknown[type=PlanEntered, body=not JSON]",
                            "9 RUNNING PlanEntered[status=RUNNING]",
                            "10 COMPLETED PlanEntered[status=COMPLETED]");
            assertThat(told)
                    .filteredOn(event -> event.occurrence() instanceof Occurrence.Unknown)
                    .extracting(RolloutEvent::message)
                    .containsOnly("as it is");
        }
        assertThat(new RolloutStatus.Unknown("HALTED").name()).isEqualTo("HALTED");
    }

    private PlanRecord saved() {
        PlanRecord plan = Samples.plan(PlanStatus.RUNNING, 3);
        return store.transact(transaction -> {
            transaction.save(plan);
            return plan;
        });
    }

    private void append(PlanRecord plan, long sequence) {
        store.transact(transaction -> {
            transaction.append(Samples.event(plan, RUNNING, sequence));
            return plan;
        });
    }

    private void appendProgress(PlanRecord plan, long sequence) {
        store.transact(transaction -> {
            transaction.append(Samples.event(plan, new Occurrence.TaskProgress(1, 2), sequence));
            return plan;
        });
    }

    /** {@return the numbers of the events after that position, as a drive leaves them} */
    private List<RecordedEvent> read(long after) {
        store.assignPositions(PLAN, 3);
        return store.findEvents(PLAN, null, after, 10);
    }

    private static <T> T meanwhile(Callable<T> work) {
        try {
            return Deadline.within(work);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @Test
    @Tag("R161")
    void whoReadsOnAfterAPageMissesNoEventOfATransactionThatEndsLater() {
        PlanRecord plan = saved();
        TransactionTemplate caller = new TransactionTemplate(new JdbcTransactionManager(database.dataSource()));
        List<RecordedEvent> first = caller.execute(status -> {
            append(plan, 1);
            return meanwhile(() -> {
                append(plan, 2);
                return read(0);
            });
        });
        assertThat(first).extracting(each -> each.event().sequenceId()).containsExactly(2L);

        List<RecordedEvent> second = read(first.getLast().position());
        assertThat(second).extracting(each -> each.event().sequenceId()).containsExactly(1L);
        append(plan, 3);
        assertThat(read(second.getLast().position()))
                .extracting(each -> each.event().sequenceId())
                .containsExactly(3L);
        assertThat(read(0)).hasSize(3).extracting(RecordedEvent::position).isSorted();
    }

    @Test
    @Tag("R161")
    void aPositionIsNotGivenAgainThoughTheEventThatHadItIsGone() {
        PlanRecord plan = saved();
        TransactionTemplate caller = new TransactionTemplate(new JdbcTransactionManager(database.dataSource()));
        RecordedEvent late = caller.execute(status -> {
            append(plan, 1);
            RecordedEvent progress = meanwhile(() -> {
                appendProgress(plan, 2);
                return read(0).getLast();
            });
            store.markPublished(PLAN, 3, List.of(progress.event()));
            assertThat(store.findEvents(PLAN, null, 0, 10)).isEmpty();
            return progress;
        });

        List<RecordedEvent> first = read(late.position());
        assertThat(first).extracting(each -> each.event().sequenceId()).containsExactly(1L);

        appendProgress(plan, 3);
        RecordedEvent last = read(first.getLast().position()).getLast();
        store.markGivenUp(PLAN, 3, last.event());
        append(plan, 4);
        assertThat(read(last.position()))
                .extracting(each -> each.event().sequenceId())
                .containsExactly(4L);
        assertThat(tables.queryForObject("select count(*) from rollout_event", Integer.class))
                .as("what is delivered is dropped once there is a higher position")
                .isEqualTo(2);
    }

    /** A sink that was away for a while has left as many. */
    @Test
    @Tag("R161")
    void aBacklogGetsItsPositionsPartByPart() {
        PlanRecord plan = saved();
        store.transact(transaction -> {
            LongStream.rangeClosed(1, BACKLOG)
                    .forEach(number -> transaction.append(Samples.event(plan, RUNNING, number)));
            return plan;
        });

        assertThat(read(0)).extracting(each -> each.event().sequenceId()).startsWith(1L);
        List<RecordedEvent> found = store.findEvents(PLAN, null, 0, BACKLOG + 1);
        assertThat(found).hasSize(BACKLOG).extracting(RecordedEvent::position).isSorted();
        assertThat(found).extracting(each -> each.event().sequenceId()).isSorted();
    }

    @Test
    @Tag("R121")
    void onlyTheDriveThatHasThePlanNumbersOrGivesUpItsEvents() {
        PlanRecord plan = saved();
        append(plan, 1);
        RolloutEvent event = Samples.event(plan, RUNNING, 1);

        store.assignPositions(PLAN, 2);
        assertThat(store.findEvents(PLAN, null, 0, 10)).isEmpty();
        store.markGivenUp(PLAN, 2, event);
        assertThat(store.findUnpublished(PLAN, 10)).hasSize(1);
        assertThat(store.markRefused(PLAN, 2, event, Samples.NOW.plusSeconds(5)))
                .isEqualTo(Samples.NOW.plusSeconds(5));
        assertThat(store.markRefused(PLAN, 3, event, Samples.NOW)).isEqualTo(Samples.NOW);
        assertThat(store.markRefused(PLAN, 3, event, Samples.NOW.plusSeconds(9)))
                .isEqualTo(Samples.NOW);
    }
}
