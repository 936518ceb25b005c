package io.github.kobe.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that the endpoint refuses; none of them changes anything. */
class RefusedRequestsTests {

    private static EndpointServer server;

    @BeforeAll
    static void start() {
        server = new EndpointServer("management.endpoint.groupexecutor.access=unrestricted");
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
        {"group":"vip","maxConcurrency":0}            | maxConcurrency | 0    | at least 1
        {"group":"vip","maxConcurrency":"many"}       | maxConcurrency | many | a whole number, or "unlimited"
        {"group":"vip","maxInFlight":0}               | maxInFlight    | 0    | at least 1
        {"group":"vip","queueThreshold":-1}           | queueThreshold | -1   | at least 0
        {"group":"vip","queueTimeout":"0s"}           | queueTimeout   | 0s   | more than zero
        {"group":"vip","queueTimeout":"soon"}         | queueTimeout   | soon | a number with a unit such as "500ms" or "5s", or an ISO-8601 duration, or "unlimited"
        {"group":"vip","weight":1001}                 | weight         | 1001 | 1 to 1000
        {"group":"vip","guaranteed":-1}               | guaranteed     | -1   | 0 to 1000000
        {"group":"vip","clusterMaxInFlight":0}        | clusterMaxInFlight | 0 | at least 1
        {"group":"vip","weight":"unlimited"}          | weight         | unlimited | a whole number
        {"group":"vip","rate":"60"}                   | rate           | 60   | a rate such as "60 per 1m" or "60 per 1m burst 6", or "unlimited"
        {"group":"vip","action":"stop"}               | action         | stop | set, pause, resume or reset
        {"group":"vip"}                               | maxConcurrency |      | at least one of maxConcurrency, maxInFlight, queueThreshold, queueTimeout, weight, guaranteed, rate
        {"group":"vip","action":"pause","weight":"2"} | action         | pause | set, or no limits
        {"maxConcurrency":1}                          | group          |      | the key of a group
        {"group":"vip","queueTimeout":5}              | queueTimeout   | 5    | a number with a unit such as "500ms" or "5s", or an ISO-8601 duration, or "unlimited"
        {"group":"vip","queueTimeout":"5"}            | queueTimeout   | 5    | a number with a unit such as "500ms" or "5s", or an ISO-8601 duration, or "unlimited"
        {"group":"vip","maxConcurrency":3,"maxInflight":5} | maxInflight | 5   | one of action, clusterMaxInFlight, executor, group, guaranteed, maxConcurrency, maxInFlight, period, queueThreshold, queueTimeout, rate, weight
        {"group":"vip","max-concurrency":3}           | max-concurrency | 3   | one of action, clusterMaxInFlight, executor, group, guaranteed, maxConcurrency, maxInFlight, period, queueThreshold, queueTimeout, rate, weight
        {"group":"tenant:*","maxConcurrency":9}       | group          | tenant:* | the key of one group; to change a pattern, change the settings and have them read again
        {"group":"tenant:*","action":"pause"}         | group          | tenant:* | the key of one group; to change a pattern, change the settings and have them read again
        """)
    void badInputIsAnsweredWithTheReason(String body, String parameter, String value, String allowed) throws Exception {
        server.post("", body).assertProblem(400, parameter, value, allowed);

        assertThat(server.executor().groupKeys()).isEmpty();
    }

    @Test
    void aKeyInTheBodyThatIsNotThatOfThePathIsRefused() throws Exception {
        server.post("/a", "{\"group\":\"b\",\"maxConcurrency\":2}")
                .assertProblem(400, "group", "b", "the key of the path, or none");
        assertThat(server.post("/a", "{\"key\":\"b\",\"maxConcurrency\":2}").status())
                .isEqualTo(400);
        assertThat(server.executor().groupKeys()).isEmpty();

        assertThat(server.post("/a", "{\"group\":\"a\",\"maxConcurrency\":2}").status())
                .isEqualTo(200);
        server.executor().evictGroup("a");
    }

    /** Spring Boot would have a field or a parameter of that name replace what the path says. */
    @ParameterizedTest
    @ValueSource(strings = {"servlet", "reactive"})
    void nothingButThePathSaysWhatThePathNames(String web) throws Exception {
        try (EndpointServer asked = new EndpointServer(
                "management.endpoint.groupexecutor.access=unrestricted", "spring.main.web-application-type=" + web)) {
            asked.post("/a", "{\"keyInPath\":\"b\",\"maxConcurrency\":1}").assertProblem(400, "keyInPath", "b", FIELDS);
            asked.post("/a?keyInPath=b", "{\"maxConcurrency\":1}").assertProblem(400, "keyInPath", "b", FIELDS);
            asked.get("/vip?keyInPath=b").assertProblem(400, "keyInPath", "b", KNOWN_OF_ONE);
            asked.get("/vip?keyInPath=a&keyInPath=b").assertProblem(400, "keyInPath", "[a, b]", KNOWN_OF_ONE);
            asked.delete("/vip?keyInPath=b").assertProblem(400, "keyInPath", "b", "one of executor");

            assertThat(asked.executor().groupKeys()).isEmpty();
            assertThat(asked.get("/vip").status()).isEqualTo(200);
            for (String path : List.of("/", "/vip/b")) {
                assertThat(asked.get(path).status()).as(path).isEqualTo(404);
                assertThat(asked.post(path, "{\"maxConcurrency\":1}").status()).isEqualTo(404);
                assertThat(asked.delete(path).status()).isEqualTo(404);
            }
            assertThat(asked.executor().groupKeys()).isEmpty();
        }
    }

    @Test
    void aKeyThatIsTooLongIsRefused() throws Exception {
        String key = "k".repeat(2_001);
        server.post("", "{\"group\":\"" + key + "\",\"action\":\"pause\"}")
                .assertProblem(400, "group", key, "at most 2000 characters");
    }

    @Test
    void aFieldThatIsThereTwiceIsRefused() throws Exception {
        server.delete("?group=a&group=b").assertProblem(400, "group", "[a, b]", "one value");
        server.delete("?group=a&grup=b").assertProblem(400, "grup", "b", "one of executor, group");
    }

    private static final String KNOWN =
            "one of cluster, executor, explain, group, holders, limit, offset, search, sort";

    private static final String KNOWN_OF_ONE = "one of cluster, executor, explain, holders";

    private static final String FIELDS = "one of action, clusterMaxInFlight, executor, group, guaranteed,"
            + " maxConcurrency, maxInFlight, period, queueThreshold, queueTimeout, rate, weight";

    @Test
    void aMisspeltParameterOfAQuestionIsRefused() throws Exception {
        server.get("?grup=vip").assertProblem(400, "grup", "vip", KNOWN);
        server.get("?group=vip&holder=true").assertProblem(400, "holder", "true", KNOWN);
        server.get("/vip?group=b").assertProblem(400, "group", "b", KNOWN_OF_ONE);
        server.get("?group=a&group=b").assertProblem(400, "group", "[a, b]", "one value");
    }

    /** Nobody has forbidden the star in a key; what is in use can be told from a pattern. */
    @Test
    void aGroupWhoseKeyHasAStarCanBeChangedWhileItIsThere() throws Exception {
        server.executor().call("a*b", () -> "used");

        assertThat(server.post("", "{\"group\":\"a*b\",\"weight\":2}").status()).isEqualTo(200);
        server.executor().evictGroup("a*b");
    }

    @Test
    void whatIsToldOfOneGroupOnlyWantsOne() throws Exception {
        server.get("?holders=true").assertProblem(400, "group", null, "the key of a group");
        server.get("?group=vip&explain=yes").assertProblem(400, "explain", "yes", "true or false");
    }
}
