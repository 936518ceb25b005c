package io.github.kobe.rollout.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.rollout.HttpTransport;
import io.github.kobe.rollout.TaskInfo;
import io.github.kobe.rollout.TaskStatus;
import io.github.kobe.rollout.http.Instance.Ill;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;

/** A stage reaches the instances of a tenant together. */
@Tag("R5")
class InstancesSideBySideTests extends HttpTestCase {

    private Instance[] instances(int count, Ill ill) {
        return IntStream.range(0, count).mapToObj(index -> instance(ill)).toArray(Instance[]::new);
    }

    @Test
    void eightRequestsAreUnderWayAtOnce() throws Exception {
        Gate gate = new Gate();
        Instance[] eight = instances(8, Ill.WELL);
        instances.forEach(instance -> instance.hold("PUT /config", gate));
        Thread opener = Thread.ofVirtual().start(() -> {
            gate.awaitArrived(8);
            gate.open();
        });

        assertThat(ran(rollouts(builder -> builder), change(eight)).status()).isEqualTo(TaskStatus.COMPLETED);
        assertThat(opener.join(Deadline.LONG)).isTrue();
    }

    @Test
    void noMoreAreSentAtOnceThanIsSet() throws Exception {
        HttpTransport jdk = HttpTransport.jdk();
        AtomicInteger under = new AtomicInteger();
        List<Integer> most = new CopyOnWriteArrayList<>();
        HttpTransport counting = call -> {
            most.add(under.incrementAndGet());
            try {
                return jdk.send(call);
            } finally {
                under.decrementAndGet();
            }
        };

        TaskInfo task = ran(
                rollouts(builder ->
                        builder.stages(HttpStages.configSwitch(counting)).setting("http.parallel", "2")),
                change(instances(7, Ill.WELL)));

        assertThat(task.status()).isEqualTo(TaskStatus.COMPLETED);
        assertThat(most).hasSize(14).allMatch(number -> number <= 2);
    }

    @Test
    void aFailureTellsOfAllThatFailedAndTheOthersAreSwitched() throws Exception {
        Instance well = instance(Ill.WELL);
        Instance dead = instance(Ill.WELL);
        dead.close();
        Instance refusing = instance(Ill.REFUSING);

        TaskInfo task = ran(rollouts(builder -> builder), change(dead, well, refusing));

        assertThat(message(task))
                .startsWith("2 of 3 requests failed: PUT " + dead.url() + "/config failed: ")
                .endsWith("; PUT " + refusing.url() + "/config was answered with status 503");
        assertThat(well.requests()).containsExactly("PUT /config");
    }

    @Test
    void ofManyThatFailedTenAreNamed() throws Exception {
        Instance[] all = instances(12, Ill.REFUSING);

        String message = message(ran(rollouts(builder -> builder), change(all)));

        assertThat(message).startsWith("12 of 12 requests failed: ").endsWith("503; and 2 more");
        assertThat(IntStream.range(0, 12)
                        .filter(index -> message.contains(all[index].url() + "/"))
                        .boxed())
                .containsExactly(0, 1, 2, 3, 4, 5, 6, 7, 8, 9);
    }

    @Test
    @Tag("R93")
    void aRequestHasTheLoggingContextOfItsStage() throws Exception {
        List<String> logged = new CopyOnWriteArrayList<>();
        HttpTransport accepting = call -> {
            logged.add(MDC.get("tenantId") + " " + MDC.get("stageName"));
            return new HttpTransport.Answer(200, null, "");
        };
        ran(
                rollouts(builder -> builder.stages(HttpStages.configSwitch(accepting))
                        .health(url -> {
                            logged.add(MDC.get("stageName"));
                            return Map.of("version", 42);
                        })),
                change("http://h:1"));

        assertThat(logged).containsExactly("acme ConfigUpdate", "acme Broadcast", "HealthCheck");
    }

    @Test
    @Tag("R115")
    void aNumberOfLessThanOneIsRefused() {
        assertThat(refusal(change("http://h:1").setting("http.parallel", "0")))
                .contains("http.parallel is '0'; it must be a number of at least 1");
    }
}
