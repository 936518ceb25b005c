package io.github.kobe.rollout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.kobe.rollout.RecordedEvent.Delivery;
import io.github.kobe.rollout.internal.rules.Samples;
import io.github.kobe.testing.Deadline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class EventPagesTests extends RolloutsTestCase {

    private static final int MOST = 1_000;
    private static final PlanId PLAN = PlanId.of("plan-x");

    private static List<RolloutEvent> eventsOf(List<RecordedEvent> page) {
        return page.stream().map(RecordedEvent::event).toList();
    }

    @Test
    @Tag("R161")
    void allEventsOfAPlanButProgressCanBeReadAgainPageByPage() throws Exception {
        Rollouts rollouts = rollouts(Stage.named("A"));
        rollouts.start(plan("x", 1, Samples.change("acme"), Samples.change("zorg")));
        settled(rollouts, PLAN);

        List<RecordedEvent> all = rollouts.events(PLAN, null, 0, MOST);
        assertThat(eventsOf(all))
                .isEqualTo(events.stream()
                        .filter(event -> !(event.occurrence() instanceof Occurrence.TaskProgress))
                        .toList());
        assertThat(all).extracting(RecordedEvent::delivery).containsOnly(Delivery.DELIVERED);
        assertThat(all).extracting(RecordedEvent::position).isSorted().doesNotHaveDuplicates();

        List<RecordedEvent> pages = new ArrayList<>();
        long after = 0;
        for (List<RecordedEvent> page = rollouts.events(PLAN, null, after, 3);
                !page.isEmpty();
                page = rollouts.events(PLAN, null, after, 3)) {
            assertThat(page).hasSizeLessThanOrEqualTo(3);
            pages.addAll(page);
            after = page.getLast().position();
        }
        assertThat(pages).isEqualTo(all);
        assertThat(rollouts.events(PLAN, TenantId.of("zorg"), 0, MOST))
                .isNotEmpty()
                .isEqualTo(all.stream()
                        .filter(each -> TenantId.of("zorg").equals(each.event().tenantId()))
                        .toList());
        assertThat(rollouts.events(PLAN, TenantId.of("nobody"), 0, MOST)).isEmpty();
    }

    @Test
    @Tag("R161")
    void whatTheSinkRefusesCanBeReadMeanwhileAndAfterItWasGivenUp() throws Exception {
        Rollouts patient = rollouts(builder -> builder.stages(Stage.named("A")).sink(event -> {
            throw new IllegalStateException("refused");
        }));
        patient.start(plan("x", Samples.change("acme")));
        settled(patient, PLAN);
        Deadline.until(
                "all can be read",
                () -> eventsOf(patient.events(PLAN, null, 0, MOST)).stream()
                        .anyMatch(event -> event.status() == PlanStatus.COMPLETED));
        List<RecordedEvent> waiting = patient.events(PLAN, null, 0, MOST);
        assertThat(waiting).extracting(RecordedEvent::delivery).containsOnly(Delivery.WAITING);
        patient.close();

        Rollouts impatient = rollouts(builder -> builder.stages(Stage.named("A"))
                .giveUpEventsAfter(Duration.ZERO)
                .sink(event -> {
                    throw new IllegalStateException("refused");
                }));
        awaitTold(PLAN);
        List<RecordedEvent> givenUp = impatient.events(PLAN, null, 0, MOST);
        assertThat(givenUp).extracting(RecordedEvent::delivery).containsOnly(Delivery.GIVEN_UP);
        assertThat(eventsOf(givenUp))
                .isEqualTo(eventsOf(waiting).stream()
                        .filter(event -> !(event.occurrence() instanceof Occurrence.TaskProgress))
                        .toList());
        Deadline.until("at rest", () -> impatient.purge(Duration.ZERO) == 1);
        assertThatThrownBy(() -> impatient.events(PLAN, null, 0, MOST)).isInstanceOf(PlanNotFoundException.class);
    }

    @Test
    void whatIsOutOfRangeIsRefused() {
        Rollouts rollouts = rollouts(Stage.named("A"));
        rollouts.create(plan("x", Samples.change("acme")));

        assertThatThrownBy(() -> rollouts.events(PLAN, null, -1, 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("after is -1; it must be at least 0");
        assertThatThrownBy(() -> rollouts.events(PLAN, null, 0, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("limit is 0; it must be from 1 to 1000");
        assertThatThrownBy(() -> rollouts.events(PLAN, null, 0, MOST + 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("limit is 1001; it must be from 1 to 1000");
    }
}
