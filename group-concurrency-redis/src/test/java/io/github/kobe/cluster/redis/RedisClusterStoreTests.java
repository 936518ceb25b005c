package io.github.kobe.cluster.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPolicy;
import io.github.kobe.cluster.Answer;
import io.github.kobe.cluster.ClusterSettings;
import io.github.kobe.cluster.Demand;
import io.github.kobe.cluster.Hint;
import io.github.kobe.cluster.NodeShare;
import io.github.kobe.cluster.Statement.Kind;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.RedisServer;
import io.lettuce.core.LettuceVersion;
import io.lettuce.core.RedisURI;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The store on a server that works. */
@Tag("deep")
@Tag("lettuce")
@Tag("CL64")
@Tag("CL67")
class RedisClusterStoreTests {

    private static final Demand WANTS_ONE = new Demand("g:a", 0, 1, 0, 1);
    private static final Demand HAS_ONE = new Demand("g:a", 1, 1, 0, 1);

    private final RedisServer server = RedisServer.start();
    private final RedisURI uri = RedisURI.create("localhost", server.port());
    private RedisClusterStore store = open();

    private RedisClusterStore open() {
        return RedisClusterStore.builder(uri).namespace("tests").build();
    }

    @BeforeEach
    void connect() {
        Deadline.until("a connection", () -> look(store, null) != null);
    }

    @AfterEach
    void close() {
        store.close();
        server.close();
    }

    private static @Nullable List<NodeShare> look(RedisClusterStore of, @Nullable String resource) {
        try {
            return of.look(resource)
                    .toCompletableFuture()
                    .orTimeout(Deadline.SECONDS, TimeUnit.SECONDS)
                    .join();
        } catch (RuntimeException notConnected) {
            return null;
        }
    }

    /** The store has learnt what nodes have: as if a lease had passed. */
    private void endLearning() {
        String[] words = server.cli("HGET", "gc:{tests}", "!").split(" ", -1);
        words[5] = "0";
        server.cli("HSET", "gc:{tests}", "!", String.join(" ", words));
    }

    private Speaker opened(String session) {
        return opened(store, session);
    }

    private static Speaker opened(RedisClusterStore on, String session) {
        Speaker speaker = new Speaker(on, session);
        assertThat(speaker.say(Kind.OPEN).kind()).isEqualTo(Answer.Kind.OK);
        return speaker;
    }

    @Test
    void theClientIsTheOneThatIsMeant() {
        assertThat(LettuceVersion.getVersion() + ".RELEASE").startsWith(System.getProperty("lettuce.version", "6."));
    }

    @Test
    void aStoreThatKnowsNothingLearnsForALease() {
        Answer answer = new Speaker(store, "a").say(Kind.OPEN);

        assertThat(answer.learning()).isEqualTo(Duration.ofSeconds(5));
        assertThat(opened("b").say(Kind.EXCHANGE, WANTS_ONE).grants().getFirst().counted())
                .isZero();
    }

    @Test
    void nodesShareALimit() {
        Speaker a = opened("a");
        Speaker b = opened("b");
        endLearning();

        assertThat(a.say(Kind.EXCHANGE, WANTS_ONE).grants().getFirst().counted())
                .isEqualTo(1);
        assertThat(b.say(Kind.EXCHANGE, WANTS_ONE).grants().getFirst().counted())
                .isZero();
        a.say(Kind.CLOSE);
        assertThat(b.say(Kind.EXCHANGE, WANTS_ONE).grants().getFirst().counted())
                .isEqualTo(1);
    }

    @Test
    void storesOfOtherNamespacesHaveNothingInCommon() {
        try (RedisClusterStore other =
                RedisClusterStore.builder(uri).namespace("other").build()) {
            opened("a");
            Deadline.until("a connection", () -> look(other, null) != null);

            assertThat(look(other, null)).isEmpty();
            assertThat(look(store, null)).extracting(NodeShare::node).containsExactly("node-a");
        }
    }

    @Test
    void hintsReachTheSessionsOfTheirStoreAlone() {
        Queue<Hint> told = new ConcurrentLinkedQueue<>();
        Queue<Hint> toldElsewhere = new ConcurrentLinkedQueue<>();
        Runnable enough = store.onHint(told::add);
        try (RedisClusterStore other = open()) {
            Runnable enoughElsewhere = other.onHint(toldElsewhere::add);
            Deadline.until("a connection", () -> look(other, null) != null);
            Speaker a = opened("a");
            Speaker b = opened(other, "b");
            endLearning();
            a.say(Kind.EXCHANGE, WANTS_ONE);
            Deadline.until("subscribers", () -> subscribers("a") == 1 && subscribers("b") == 1);
            b.say(Kind.EXCHANGE, WANTS_ONE);

            Deadline.until("a hint", () -> !told.isEmpty());
            assertThat(told).containsExactly(new Hint("a", List.of("g:a")));
            assertThat(toldElsewhere).isEmpty();
            enoughElsewhere.run();
        }
        enough.run();
    }

    private int subscribers(String session) {
        return Integer.parseInt(server.cli("PUBSUB", "NUMSUB", "gc:{tests}:" + session)
                .lines()
                .skip(1)
                .findFirst()
                .orElseThrow());
    }

    @Test
    void whatSomebodyElseWritesToAChannelIsNoHint() {
        Queue<Hint> told = new ConcurrentLinkedQueue<>();
        Runnable enough = store.onHint(told::add);
        opened("a");
        Deadline.until("a subscriber", () -> subscribers("a") == 1);
        server.cli("PUBLISH", "gc:{tests}:a", "nonsense");
        server.cli("PUBLISH", "gc:{tests}:a", "0:");
        server.cli("PUBLISH", "gc:{tests}:a", "3:g:x");

        Deadline.until("a hint", () -> !told.isEmpty());
        assertThat(told).containsExactly(new Hint("a", List.of("g:x")));
        enough.run();
    }

    @Test
    void whoWantsNoMoreHintsIsToldNone() {
        Queue<Hint> told = new ConcurrentLinkedQueue<>();
        Queue<Hint> toldStill = new ConcurrentLinkedQueue<>();
        Runnable enough = store.onHint(told::add);
        Runnable enoughOfAll = store.onHint(toldStill::add);
        opened("a");
        Deadline.until("a subscriber", () -> subscribers("a") == 1);
        enough.run();
        server.cli("PUBLISH", "gc:{tests}:a", "3:g:x");

        Deadline.until("a hint", () -> !toldStill.isEmpty());
        assertThat(told).isEmpty();
        enoughOfAll.run();
    }

    @Test
    void aListenerThatFailsHarmsNobody() {
        Queue<Hint> told = new ConcurrentLinkedQueue<>();
        Runnable enoughFailures = store.onHint(hint -> {
            throw new AssertionError("broken");
        });
        Runnable enough = store.onHint(told::add);
        opened("a");
        Deadline.until("a subscriber", () -> subscribers("a") == 1);
        server.cli("PUBLISH", "gc:{tests}:a", "3:g:x");
        server.cli("PUBLISH", "gc:{tests}:a", "3:g:y");

        Deadline.until("hints", () -> told.size() == 2);
        enoughFailures.run();
        enough.run();
    }

    @Test
    void nobodyListensForASessionThatHasLeft() {
        Speaker a = opened("a");
        Deadline.until("a subscriber", () -> subscribers("a") == 1);

        a.say(Kind.CLOSE);
        Deadline.until("no subscriber", () -> subscribers("a") == 0);
    }

    @Test
    void resourcesMayHaveAnyCharacters() {
        Speaker a = opened("a");
        endLearning();
        List<String> odd = List.of("g:\ud800", "g:\ud801", "g: ;:\0\n", "g:\ud83d\ude00", "g:5:g:a!");
        Demand[] demands = odd.stream().map(key -> new Demand(key, 0, 1, 0, 1)).toArray(Demand[]::new);
        a.say(Kind.EXCHANGE, demands);
        Speaker b = opened("b");
        b.say(Kind.EXCHANGE, demands);

        assertThat(a.say(Kind.EXCHANGE).hints()).containsExactlyInAnyOrderElementsOf(odd);
        assertThat(look(store, odd.getFirst()))
                .extracting(NodeShare::has, NodeShare::wants)
                .containsExactly(tuple(1, 1), tuple(0, 1));
    }

    @Test
    void showsAllNodesPageByPage() {
        Speaker a = opened("a");
        endLearning();
        for (int i = 0; i < 30; i++) {
            Demand[] demands = new Demand[100];
            for (int j = 0; j < 100; j++) {
                demands[j] = new Demand("g:" + i + "/" + j, 0, 2, 0, 2);
            }
            a.say(Kind.EXCHANGE, demands);
        }

        assertThat(look(store, null)).extracting(NodeShare::has).containsExactly(6_000);
    }

    @Test
    void whatCannotBeReadIsTakenAsForgotten() {
        Speaker a = opened("a");
        endLearning();
        a.say(Kind.EXCHANGE, WANTS_ONE);
        server.cli("HSET", "gc:{tests}", "g:a", "nonsense");
        assertThat(a.say(Kind.EXCHANGE, HAS_ONE).grants().getFirst().counted()).isEqualTo(1);

        server.cli("HSET", "gc:{tests}", "n", "nonsense");
        assertThat(a.say(Kind.EXCHANGE, HAS_ONE).kind()).isEqualTo(Answer.Kind.GONE);

        long epoch = a.epoch();
        server.cli("HSET", "gc:{tests}", "!", "1 nonsense");
        assertThat(opened("b").epoch()).isNotEqualTo(epoch);
    }

    @Test
    void aNewerFormIsRefusedAndStays() {
        opened("a");
        server.cli("HSET", "gc:{tests}", "!", "2 and more");

        Answer answer = new Speaker(store, "b").say(Kind.OPEN);

        assertThat(answer.kind()).isEqualTo(Answer.Kind.REFUSED);
        assertThat(answer.reason()).isEqualTo("form 1, cluster has 2");
        assertThat(server.cli("HGET", "gc:{tests}", "!")).isEqualTo("2 and more");
    }

    @Test
    void aKeyOfAnotherKindIsNoAnswer() {
        server.cli("SET", "gc:{tests}", "text");

        assertThat(new Speaker(store, "a").failure(Kind.OPEN)).startsWith("WRONGTYPE");
    }

    @Test
    void aClosedStoreAnswersNobody() {
        store.close();
        store.close();

        assertThat(new Speaker(store, "a").failure(Kind.OPEN)).contains("the store is closed");
        assertThatThrownBy(() -> store.look(null)
                        .toCompletableFuture()
                        .orTimeout(Deadline.SECONDS, TimeUnit.SECONDS)
                        .join())
                .hasRootCauseInstanceOf(RedisStoreException.class)
                .hasRootCauseMessage("the store is closed");
    }

    /** As the end of a try block closes them. The word takes a while on its way. */
    @Test
    @Tag("CL41")
    void whoHasUsedAClosedStoreHasSaidThatItEnds() throws Exception {
        GroupPolicy policy = GroupPolicy.builder()
                .pattern("tenant:*", GroupLimits.unset().withClusterMaxInFlight(1))
                .build();
        try (Proxy proxy = new Proxy(server.port())) {
            try (RedisClusterStore other = RedisClusterStore.builder(RedisURI.create("localhost", proxy.port()))
                            .namespace("tests")
                            .build();
                    GroupExecutor executor =
                            GroupExecutor.newVirtualThreadExecutor(policy, ClusterSettings.of(other))) {
                Deadline.until(
                        "a session",
                        () -> executor.cluster().orElseThrow().state().nodes() == 1);
                assertThat(look(store, null)).hasSize(1);
                proxy.delay(Duration.ofMillis(100));
            }

            assertThat(look(store, null)).isEmpty();
        }
    }

    @Test
    void aStoreIsClosedThoughSomebodyUsesItStill() {
        store.onHint(hint -> {});
        store.close();

        assertThat(new Speaker(store, "a").failure(Kind.OPEN)).contains("the store is closed");
    }

    @Test
    void theResourcesOfAnApplicationAreLeftToIt() throws Exception {
        ClientResources resources = DefaultClientResources.create();
        try {
            RedisClusterStore other = RedisClusterStore.builder(uri)
                    .namespace("tests")
                    .clientResources(resources)
                    .build();
            Deadline.until("a connection", () -> look(other, null) != null);
            other.close();

            assertThat(resources.eventExecutorGroup().isShuttingDown()).isFalse();
        } finally {
            resources.shutdown(0, 1, TimeUnit.SECONDS).get(Deadline.SECONDS, TimeUnit.SECONDS);
        }
    }

    @Test
    void nothingIsLeftOfAClosedStore() {
        store.close();

        Deadline.until(
                "no thread of it",
                () -> Thread.getAllStackTraces().keySet().stream()
                        .noneMatch(thread -> thread.getName().equals("group-concurrency-redis")));
        Deadline.until(
                "no connection", () -> server.cli("CLIENT", "LIST").lines().count() == 1);
    }

    @Test
    void nothingIsLeftOfOneThatIsClosedWhileItConnects() throws Exception {
        store.close();
        try (Proxy proxy = new Proxy(server.port())) {
            proxy.delay(Duration.ofMillis(100));
            for (int i = 0; i < 10; i++) {
                int before = proxy.accepted();
                RedisClusterStore other = RedisClusterStore.builder(RedisURI.create("localhost", proxy.port()))
                        .namespace("tests")
                        .build();
                Deadline.until("a connection for hints is being made", () -> proxy.accepted() == before + 2);
                other.close();
            }

            Deadline.until(
                    "no connection", () -> server.cli("CLIENT", "LIST").lines().count() == 1);
        }
    }
}
