package io.github.kobe.sample;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.sample.partner.TrafficCount;
import io.github.kobe.testing.Deadline;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class TenantLimitTests {

    private static final List<String> ORDINARY = List.of("acme", "hooli", "initech");
    private static final List<String> VIP = List.of("vip-globex", "vip-umbrella");

    private static RunningSample sample;

    @BeforeAll
    static void start() {
        sample = RunningSample.start(
                "group-concurrency.groups[tenant:*].queue-threshold=100",
                "group-concurrency.groups[tenant:vip-*].queue-threshold=100");
    }

    @AfterEach
    void settle() throws InterruptedException {
        sample.settle();
    }

    @AfterAll
    static void stop() {
        sample.close();
    }

    @Test
    void anOrdinaryTenantHasOneRequestAtThePartnerAndAVipFour() {
        List<CompletableFuture<Reply>> replies = new ArrayList<>(sample.sendReports(6, "acme"));
        replies.addAll(sample.sendReports(9, "vip-globex"));

        sample.awaitHeld(5);
        sample.awaitQueued("tenant:acme", 5);
        sample.awaitQueued("tenant:vip-globex", 5);
        assertThat(sample.partner().held("acme")).isEqualTo(1);
        assertThat(sample.partner().held("vip-globex")).isEqualTo(4);

        sample.partner().open();
        assertThat(replies)
                .allSatisfy(reply -> assertThat(reply.join().status()).isEqualTo(201));
        assertThat(sample.traffic("acme").peak()).isEqualTo(1);
        assertThat(sample.traffic("vip-globex").peak()).isEqualTo(4);
    }

    @Test
    void allTenantsTogetherStayWithinTheGlobalCap() {
        List<CompletableFuture<Reply>> replies = new ArrayList<>();
        ORDINARY.forEach(tenant -> replies.addAll(sample.sendReports(3, tenant)));
        VIP.forEach(tenant -> replies.addAll(sample.sendReports(6, tenant)));

        sample.awaitHeld(10);
        Deadline.until(
                "11 in the queues",
                () -> sample.get("/actuator/groupexecutor")
                                .json()
                                .at("/global/queued")
                                .intValue()
                        == 11);

        sample.partner().open();
        assertThat(replies)
                .allSatisfy(reply -> assertThat(reply.join().status()).isEqualTo(201));
        assertThat(sample.bean(TrafficCount.class).total().peak()).isEqualTo(10);
    }

    @Test
    @Tag("deep")
    void noTenantIsEverAboveItsLimitUnderAMixOfReportsAndExports() {
        TrafficCount traffic = sample.bean(TrafficCount.class);
        long before = traffic.total().served();
        sample.partner().open(3);
        List<CompletableFuture<Reply>> reports = new ArrayList<>();
        List<CompletableFuture<Reply>> exports = new ArrayList<>();
        for (String tenant : mixed(40)) {
            reports.add(sample.sendPost("/tenants/" + tenant + "/reports"));
        }
        for (String tenant : mixed(2)) {
            exports.add(sample.sendPost("/tenants/" + tenant + "/exports"));
        }

        assertThat(reports)
                .allSatisfy(reply -> assertThat(reply.join().status()).isEqualTo(201));
        assertThat(exports).allSatisfy(reply -> {
            assertThat(reply.join().status()).isEqualTo(202);
            String status = reply.join().header("Location");
            Deadline.until(
                    "the export is done",
                    () -> sample.get(status).json().get("state").stringValue().equals("DONE"));
        });
        assertThat(ORDINARY)
                .allSatisfy(tenant -> assertThat(traffic.of(tenant).peak()).isEqualTo(1));
        assertThat(VIP)
                .allSatisfy(tenant -> assertThat(traffic.of(tenant).peak()).isBetween(1, 4));
        assertThat(traffic.total().peak()).isLessThanOrEqualTo(10);
        assertThat(traffic.total().served() - before).isEqualTo(5 * 40 + 5 * 2 * 3);
        assertThat(traffic.total().now()).isZero();
    }

    private static List<String> mixed(int ofEach) {
        List<String> tenants = new ArrayList<>();
        ORDINARY.forEach(tenant -> tenants.addAll(Collections.nCopies(ofEach, tenant)));
        VIP.forEach(tenant -> tenants.addAll(Collections.nCopies(ofEach, tenant)));
        Collections.shuffle(tenants, new Random(42));
        return tenants;
    }
}
