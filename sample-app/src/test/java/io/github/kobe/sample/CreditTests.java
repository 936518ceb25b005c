package io.github.kobe.sample;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Markdown;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Credit reports, whose three questions are one scope; the answers are those of the README. */
@Tag("deep")
class CreditTests {

    private static final String SCOPES = "/actuator/groupscopes";

    /** What differs from one run to the next. */
    private static final Pattern CHANGING = Pattern.compile(
            "(?<=\"instance\":\")[^/\"]+/\\d+|\"id\":\\d+(?=,\"name\":\"credit)|PT[0-9.]+S|\\d{4}-\\d\\d-\\d\\dT[0-9:.]+Z|handler-\\d+");

    private static RunningSample sample;
    private static RunningSample hasty;

    @BeforeAll
    static void start() throws InterruptedException {
        sample = RunningSample.start("sample.credit.deadline=1m");
        hasty = RunningSample.start();
        hasty.partner().open();
        hasty.get("/tenants/vip-umbrella/credit"); // a first report may take all of its two seconds
        hasty.settle();
    }

    @AfterEach
    void settle() throws InterruptedException {
        sample.settle();
        hasty.settle();
        assertThat(lasting(sample.get(SCOPES).body())).isEqualTo(lasting(readme(SCOPES, 1)));
    }

    @AfterAll
    static void stop() {
        sample.close();
        hasty.close();
    }

    @Test
    void aVipsQuestionsAreAskedAllAtOnce() {
        CompletableFuture<Reply> report = sample.sendGet("/tenants/vip-globex/credit");

        sample.awaitHeld(3);
        sample.partner().open();

        assertThat(report.join().status()).isEqualTo(200);
        assertThat(report.join().body()).isEqualTo(readme("/tenants/vip-globex/credit", 0));
    }

    @Test
    void anOrdinaryTenantsAreAskedOneAfterTheOther() {
        CompletableFuture<Reply> report = sample.sendGet("/tenants/acme/credit");

        for (int question = 1; question <= 3; question++) {
            sample.awaitHeld(1);
            sample.awaitQueued("tenant:acme", 3 - question);
            sample.partner().release();
        }

        assertThat(report.join().body()).isEqualTo(readme("/tenants/acme/credit", 0));
        assertThat(sample.traffic("acme").peak()).isEqualTo(1);
    }

    @Test
    void theEndpointShowsWhatAReportWaitsForAndWhoHasIt() {
        CompletableFuture<Reply> report = sample.sendGet("/tenants/acme/credit");
        sample.awaitHeld(1);
        sample.awaitQueued("tenant:acme", 2);
        Deadline.until(
                "the request waits",
                () -> sample.get(SCOPES)
                        .json()
                        .at("/scopes/0/owner/phase")
                        .stringValue()
                        .equals("JOINING"));

        String shown = sample.get(SCOPES).body();

        assertThat(lasting(shown)).isEqualTo(lasting(readme(SCOPES, 0)));
        sample.partner().open();
        assertThat(report.join().status()).isEqualTo(200);
    }

    @Test
    void whenOneOfThemIsSlowTheTimeIsUpForAll() {
        CompletableFuture<Reply> report = hasty.sendGet("/tenants/vip-globex/credit");
        hasty.awaitHeld(3);
        hasty.partner().release();
        hasty.partner().release();

        Reply late = report.join();

        assertThat(late.status()).isEqualTo(504);
        assertThat(late.body()).isEqualTo(readme("/tenants/vip-globex/credit?slow=court", 0));
        Deadline.until(
                "the permits are back",
                () -> hasty.group("tenant:vip-globex").get("running").intValue() == 0);
        assertThat(hasty.group("tenant:vip-globex").at("/totals/cancelled").intValue())
                .isEqualTo(1);
    }

    @Test
    void behindASlowOneTheOthersOfAnOrdinaryTenantAreNeverAsked() {
        CompletableFuture<Reply> report = hasty.sendGet("/tenants/hooli/credit");
        hasty.awaitHeld(1);

        assertThat(report.join().status()).isEqualTo(504);
        assertThat(hasty.partner().arrivals()).containsExactly("hooli");
        JsonNode totals = hasty.group("tenant:hooli").get("totals");
        assertThat(totals.get("submitted").intValue()).isEqualTo(3);
        assertThat(totals.get("cancelled").intValue()).isEqualTo(3);
    }

    @Test
    void aReportForWhichTheTenantsQueueHasNoRoomIsAnsweredWith429() {
        String tenant = sample.newTenant("");
        List<CompletableFuture<Reply>> accepted = sample.sendReports(11, tenant);
        sample.awaitQueued("tenant:" + tenant, 10);

        Reply rejected = sample.get("/tenants/" + tenant + "/credit");

        assertThat(rejected.status()).isEqualTo(429);
        assertThat(rejected.json().get("reason").stringValue()).isEqualTo("GROUP_QUEUE_FULL");
        sample.partner().open();
        assertThat(accepted)
                .allSatisfy(reply -> assertThat(reply.join().status()).isEqualTo(201));
    }

    /** {@return what the page says that a path of the service answers, the first time, the second, ...} */
    private static String lasting(String answer) {
        return CHANGING.matcher(answer).replaceAll("?");
    }

    private static String readme(String path, int time) {
        return Markdown.page("sample-app/README.md").blocks("console").stream()
                .flatMap(block -> Pattern.compile("\\n(?=\\$ )").splitAsStream(block))
                .filter(command -> Pattern.compile("localhost:8080" + Pattern.quote(path) + "(?=[' ;\\n])")
                        .matcher(command)
                        .find())
                .skip(time)
                .findFirst()
                .orElseThrow()
                .lines()
                .filter(line -> line.startsWith("{"))
                .findFirst()
                .orElseThrow()
                .replaceFirst(" \\([0-9.]+ s\\)$", "");
    }
}
