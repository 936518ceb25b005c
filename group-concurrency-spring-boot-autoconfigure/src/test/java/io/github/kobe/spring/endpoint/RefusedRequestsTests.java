package io.github.kobe.spring.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Requests that the endpoint refuses; none of them changes anything. */
class RefusedRequestsTests {

    private static EndpointServer server;

    @BeforeAll
    static void start() {
        server = new EndpointServer("--management.endpoint.groupexecutor.access=unrestricted");
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
        {"group":"vip","queueTimeout":"soon"}         | queueTimeout   | soon | a number with a unit such as "500ms" or "5s", an ISO-8601 duration, or "unlimited"
        {"group":"vip","weight":1001}                 | weight         | 1001 | 1 to 1000
        {"group":"vip","weight":"unlimited"}          | weight         | unlimited | a whole number
        {"group":"vip","action":"stop"}               | action         | stop | set, pause, resume or reset
        {"group":"vip"}                               | maxConcurrency |      | at least one of maxConcurrency, maxInFlight, queueThreshold, queueTimeout, weight
        {"group":"vip","action":"pause","weight":"2"} | action         | pause | set, or no limits
        {"maxConcurrency":1}                          | group          |      | the key of a group
        """)
    void badInputIsAnsweredWithTheReason(String body, String parameter, String value, String allowed) throws Exception {
        server.post("", body).assertProblem(400, parameter, value, allowed);

        assertThat(server.executor().groupKeys()).isEmpty();
    }
}
