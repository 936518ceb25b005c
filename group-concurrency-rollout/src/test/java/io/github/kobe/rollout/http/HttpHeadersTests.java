package io.github.kobe.rollout.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.github.kobe.rollout.HttpTransport;
import io.github.kobe.rollout.NetworkEndpoint;
import io.github.kobe.rollout.TaskInfo;
import io.github.kobe.rollout.TaskStatus;
import io.github.kobe.rollout.TenantChange;
import io.github.kobe.rollout.http.Instance.Ill;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What instances want to know of who asks, such as a password, and who else must not hear of it. */
@Tag("R150")
class HttpHeadersTests extends HttpTestCase {

    private static final String SECRET = "s3cr3t";

    @Test
    @Tag("R97")
    void eachRequestHasTheHeadersOfTheTenantElseThoseOfAll() throws Exception {
        Instance instance = instance(Ill.WELL);
        TenantChange change = change(instance)
                .setting("http.header.x-api-key", "of the tenant")
                .setting("http.header.Content-Type", "application/merge-patch+json");

        TaskInfo task = ran(
                rollouts(builder -> builder.setting("http.header.Authorization", "Bearer " + SECRET)
                        .setting("http.header.X-Api-Key", "of all")),
                change);

        assertThat(task.status()).isEqualTo(TaskStatus.COMPLETED);
        assertThat(instance.headers()).hasSize(3).allSatisfy(headers -> {
            assertThat(headers.get("Authorization")).containsExactly("Bearer " + SECRET);
            assertThat(headers.get("X-Api-Key")).containsExactly("of the tenant");
        });
        assertThat(instance.headers().getFirst().get("Content-Type")).containsExactly("application/merge-patch+json");
        assertThat(instance.headers().getLast().get("Accept")).containsExactly("application/json");
    }

    @Test
    void userInfoIsSentAsAHeaderAndShownNowhere() throws Exception {
        Instance instance = instance(Ill.WELL);
        String withUser = instance.url().replace("//", "//ann:" + SECRET + "%3A@");
        TaskInfo task = ran(
                rollouts(builder -> builder.setting("http.header.authorization", "Bearer of all")), change(withUser));

        assertThat(task.status()).isEqualTo(TaskStatus.COMPLETED);
        String expected =
                "Basic " + Base64.getEncoder().encodeToString(("ann:" + SECRET + ":").getBytes(StandardCharsets.UTF_8));
        assertThat(instance.headers())
                .hasSize(3)
                .allSatisfy(headers -> assertThat(headers.get("Authorization")).containsExactly(expected));
    }

    @ParameterizedTest
    @CsvSource({"REFUSING, ConfigUpdate", "WRONG, HealthCheck"})
    void nothingThatIsToldOrLoggedHasAHeadersValue(Ill ill, String stage) throws Exception {
        Instance instance = instance(ill);
        Instance dead = instance(Ill.WELL);
        dead.close();
        TenantChange change = change(
                        instance.url().replace("//", "//ann:" + SECRET + "@"),
                        (ill == Ill.WRONG ? instance : dead).url())
                .setting("http.header.X-Api-Key", SECRET);
        List<String> logged = new CopyOnWriteArrayList<>();
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord line) {
                logged.add(new SimpleFormatter().format(line));
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        Logger.getLogger("").addHandler(handler);
        try {
            TaskInfo task = ran(
                    rollouts(builder -> builder.setting("http.header.Authorization", "Bearer " + SECRET)
                            .setting("health.max-attempts", "1")),
                    change);

            assertThat(task.stage()).isEqualTo(stage);
            assertThat(message(task)).contains(instance.url()).doesNotContain(SECRET);
            assertThat(logged).anySatisfy(line -> assertThat(line).contains(instance.url()));
            assertThat(logged).noneMatch(line -> line.contains(SECRET));
            assertThat(change.toString())
                    .contains("127.0.0.1", "http.header.X-Api-Key")
                    .doesNotContain(SECRET);
        } finally {
            Logger.getLogger("").removeHandler(handler);
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        X Key          | s3cr3t | http.header.X Key
        ''             | s3cr3t | http.header.
        X-Key          | s3cr3t\u00e4\u4e2d | http.header.X-Key
        X-Key          | s3cr3t\\ns3cr3t | http.header.X-Key
        Host           | s3cr3t | http.header.Host
        content-length | s3cr3t | http.header.content-length
        Rollout-Token  | s3cr3t | http.header.Rollout-Token
        """)
    @Tag("R115")
    void aHeaderThatCantBeSentIsRefusedWithoutItsValue(String name, String value, String told) {
        String header = name == null ? "" : name;
        assertThat(refusal(change("http://h:1").setting("http.header." + header, value.translateEscapes())))
                .contains("tenant 'acme': " + told + " ")
                .doesNotContain(SECRET);
        if (!header.equals("Rollout-Token")) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> new HttpTransport.Call(
                            "GET", URI.create("http://h"), Map.of(header, value.translateEscapes()), ""))
                    .withMessageNotContaining(SECRET);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"ftp://ann:s3cr3t@h", "http://ann:s3cr3t@", "http://ann:s3/cr3t@h", "http://ann:s3cr3t@h x"})
    @Tag("R102")
    void anEndpointThatIsRefusedIsShownWithoutItsUser(String url) {
        assertThat(refusal(change(url))).contains("endpoint is '").doesNotContain("s3");
        assertThat(change(url).toString()).doesNotContain("s3");
        assertThat(NetworkEndpoint.ofTrusted(url).toString()).doesNotContain("s3");
    }
}
