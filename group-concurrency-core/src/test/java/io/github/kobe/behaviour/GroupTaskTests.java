package io.github.kobe.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.github.kobe.Costs;
import io.github.kobe.GroupTask;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class GroupTaskTests {

    private static final Callable<String> WORK = () -> "done";

    @Tag("G27")
    @Test
    void aTaskHasAGroupAnIdAndWork() {
        GroupTask<String> task = new GroupTask<>("a", "1", WORK);

        assertThat(task.groupKey()).isEqualTo("a");
        assertThat(task.taskId()).isEqualTo("1");
        assertThat(task.task()).isSameAs(WORK);
        assertThat(task.queueTimeout()).isNull();
    }

    @Tag("G27")
    @Test
    void noPartOfATaskIsNull() {
        assertThatNullPointerException().isThrownBy(() -> new GroupTask<>(null, "1", WORK));
        assertThatNullPointerException().isThrownBy(() -> new GroupTask<>("a", null, WORK));
        assertThatNullPointerException().isThrownBy(() -> new GroupTask<>("a", "1", null));
        assertThatNullPointerException().isThrownBy(() -> new GroupTask<>("a", "1", WORK).withQueueTimeout(null));
    }

    @Tag("G27")
    @Tag("E3")
    @Test
    void aTimeOutOfItsOwnMakesAnotherTask() {
        GroupTask<String> task = new GroupTask<>("a", "1", WORK);

        GroupTask<String> hasty = task.withQueueTimeout(Duration.ofSeconds(1));

        assertThat(hasty).isEqualTo(new GroupTask<>("a", "1", WORK, Duration.ofSeconds(1), false, Costs.unsaid()));
        assertThat(hasty.withAbortOnRejection())
                .isEqualTo(task.withAbortOnRejection().withQueueTimeout(Duration.ofSeconds(1)))
                .isEqualTo(new GroupTask<>("a", "1", WORK, Duration.ofSeconds(1), true, Costs.unsaid()));
        assertThat(task.queueTimeout()).isNull();
    }
}
