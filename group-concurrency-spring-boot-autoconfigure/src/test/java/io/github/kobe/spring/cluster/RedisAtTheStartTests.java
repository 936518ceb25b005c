package io.github.kobe.spring.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

import io.github.kobe.GroupExecutor;
import io.github.kobe.cluster.Cluster;
import io.github.kobe.cluster.ClusterState;
import io.github.kobe.cluster.redis.RedisStoreException;
import io.github.kobe.spring.autoconfigure.GroupConcurrencyAutoConfiguration;
import io.github.kobe.spring.testing.BootAutoConfigurations;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.RedisServer;
import io.lettuce.core.AclSetuserArgs;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.protocol.CommandType;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

/** An application starts without its Redis, but not with one that can never serve it. */
@Timeout(120)
@ExtendWith(OutputCaptureExtension.class)
class RedisAtTheStartTests {

    private static final String[] SETTINGS = {
        "spring.application.name=reports",
        "group-concurrency.cluster.on-store-loss=closed",
        "group-concurrency.cluster.lease=5s",
        "group-concurrency.groups.a.cluster-max-in-flight=2"
    };

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(BootAutoConfigurations.either("RedisAutoConfiguration", "DataRedisAutoConfiguration"))
            .withConfiguration(AutoConfigurations.of(
                    GroupConcurrencyAutoConfiguration.class, GroupConcurrencyRedisAutoConfiguration.class))
            .withPropertyValues(SETTINGS);

    /** Told by Lettuce, since its first use takes long, and a start waits for the first answer for three seconds. */
    private static void mayNotCallInfo(RedisServer server) {
        try (RedisClient client = RedisClient.create("redis://localhost:" + server.port());
                StatefulRedisConnection<String, String> connection = client.connect()) {
            AclSetuserArgs app = AclSetuserArgs.Builder.reset()
                    .on()
                    .addPassword("s3cr3t")
                    .allKeys()
                    .allChannels()
                    .allCommands()
                    .removeCommand(CommandType.INFO);
            assertThat(connection.sync().aclSetuser("app", app)).isEqualTo("OK");
        }
    }

    @Test
    @Tag("CL55")
    void withoutRedisTheApplicationStarts() {
        runner.withPropertyValues("group-concurrency.redis.uri=redis://localhost:1")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    Cluster cluster =
                            context.getBean(GroupExecutor.class).cluster().orElseThrow();
                    Deadline.until("it is lost", () -> cluster.state().kind() == ClusterState.Kind.LOST);
                    assertThat(cluster.state().reason()).contains("not connected to localhost:1: Connection refused");
                });
    }

    @Test
    @Tag("deep")
    void whereScriptsMayNotCallInfoTheStartFailsAndSaysWhatToDo(CapturedOutput output) {
        try (RedisServer server = RedisServer.start()) {
            mayNotCallInfo(server);
            assertThatException().isThrownBy(() -> {
                try (ConfigurableApplicationContext started = new SpringApplicationBuilder(Application.class)
                        .web(WebApplicationType.NONE)
                        .properties(SETTINGS)
                        .properties("group-concurrency.redis.uri=redis://app:s3cr3t@localhost:" + server.port())
                        .run()) {
                    assertThat(started).isNull();
                }
            });

            assertThat(output)
                    .contains("APPLICATION FAILED TO START")
                    .contains("The Redis at localhost:" + server.port() + " can't be where instances share limits")
                    .contains("ERR The user executing the script can't run this command")
                    .contains("Give the user of the store the right +info")
                    .contains("have group-concurrency.redis.uri name a Redis where it is allowed")
                    .doesNotContain("s3cr3t");
        }
    }

    @Test
    @Tag("deep")
    void soItDoesWhereSpringDataConnectsTo() {
        try (RedisServer server = RedisServer.start()) {
            mayNotCallInfo(server);
            runner.withPropertyValues(
                            "spring.data.redis.host=localhost",
                            "spring.data.redis.port=" + server.port(),
                            "spring.data.redis.username=app",
                            "spring.data.redis.password=s3cr3t")
                    .run(context -> assertThat(context.getStartupFailure())
                            .rootCause()
                            .isInstanceOf(RedisStoreException.class)
                            .hasMessageStartingWith("NOINFO localhost:" + server.port()));
        }
    }

    @Test
    @Tag("deep")
    void whoMayCallInfoStarts() {
        try (RedisServer server = RedisServer.start()) {
            runner.withPropertyValues("group-concurrency.redis.uri=redis://localhost:" + server.port())
                    .run(context -> {
                        GroupExecutor executor = context.getBean(GroupExecutor.class);
                        // A start waits for the first answer, but not for long.
                        Deadline.until(
                                "it is connected",
                                () -> executor.cluster().orElseThrow().state().kind() == ClusterState.Kind.CONNECTED);
                    });
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({GroupConcurrencyAutoConfiguration.class, GroupConcurrencyRedisAutoConfiguration.class})
    static class Application {}
}
