package io.github.kobe.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import io.github.kobe.spring.GroupExecutorBuilder;
import io.github.kobe.testing.Deadline;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.net.http.HttpResponse;
import java.security.Principal;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.WebFilter;
import reactor.core.publisher.Mono;

/** What a rule of the filter can say of its requests and of their keys, for servlets and for WebFlux. */
class RuleOptionsTests {

    private static final String[] SETTINGS = {
        "group-concurrency.web.filter.enabled=true",
        rule(0, "paths=/free/**"),
        rule(0, "limit=false"),
        rule(1, "paths=/posted/**"),
        rule(1, "methods=post, PUT"),
        rule(1, "key-source=header"),
        rule(1, "name=X-Tenant"),
        rule(1, "prefix=posted:"),
        rule(2, "paths=/known/**"),
        rule(2, "key-source=header"),
        rule(2, "name=X-Tenant"),
        rule(2, "known-keys-only=true"),
        rule(3, "paths=/new/**"),
        rule(3, "key-source=header"),
        rule(3, "name=X-Tenant"),
        rule(3, "newcomers=shared"),
        rule(4, "paths=/few/**"),
        rule(4, "key-source=header"),
        rule(4, "name=X-Tenant"),
        rule(4, "max-keys=1"),
        rule(5, "paths=/mine/**"),
        rule(5, "key-source=header"),
        rule(5, "name=X-Tenant"),
        rule(5, "matches-principal=true"),
        rule(6, "paths=/lower/**"),
        rule(6, "key-source=header"),
        rule(6, "name=X-Tenant"),
        rule(6, "normalize=lower-case"),
        rule(7, "paths=/raw/{tenant}"),
        rule(7, "key-source=path"),
        rule(7, "name=tenant"),
        rule(7, "normalize=none"),
        rule(8, "paths=/hasty/**"),
        rule(8, "key-source=header"),
        rule(8, "name=X-Tenant"),
        rule(8, "queue-timeout=50ms"),
        rule(9, "paths=/second/**"),
        rule(9, "key-source=header"),
        rule(9, "name=X-Tenant"),
        rule(9, "executor=second"),
        rule(10, "paths=/trimmed/{tenant}"),
        rule(10, "key-source=path"),
        rule(10, "name=tenant"),
        rule(10, "missing-key=nobody"),
        rule(11, "paths=/read/**"),
        rule(11, "methods=GET"),
        rule(11, "key-source=header"),
        rule(11, "name=X-Tenant"),
        rule(11, "prefix=read:")
    };

    @RegisterExtension
    static final WebServers SERVERS = new WebServers(Application.class, SETTINGS);

    private static String rule(int index, String setting) {
        return "group-concurrency.web.filter.rules[" + index + "]." + setting;
    }

    private static Set<String> groupsOf(WebServer server, int status, String path, String... headers) throws Exception {
        return groupsOf(server, "groupExecutor", status, path, headers);
    }

    /** {@return the groups of an executor in which a request was limited that was answered like that} */
    private static Set<String> groupsOf(WebServer server, String name, int status, String path, String... headers)
            throws Exception {
        GroupExecutor executor = server.bean(name, GroupExecutor.class);
        executor.groupKeys().forEach(executor::evictGroup);
        HttpResponse<String> answer = server.get(path, headers);
        assertThat(answer.statusCode()).isEqualTo(status);
        assertThat(executor.awaitQuiet(Deadline.LONG)).isTrue();
        Set<String> limited = new TreeSet<>(executor.groupKeys());
        limited.removeIf(key -> executor.groupStats(key).orElseThrow().totals().submitted() == 0);
        return limited;
    }

    @ParameterizedTest
    @EnumSource(names = {"SERVLET", "REACTIVE"})
    void aRuleWithoutALimitLetsItsRequestsPass(WebApplicationType type) throws Exception {
        assertThat(groupsOf(SERVERS.of(type), 200, "/free/1", "X-Tenant", "a")).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(names = {"SERVLET", "REACTIVE"})
    void aRuleIsForItsMethods(WebApplicationType type) throws Exception {
        WebServer server = SERVERS.of(type);
        assertThat(groupsOf(server, 200, "/posted/1", "X-Tenant", "a")).isEmpty();

        assertThat(server.postAsync("/posted/1", "x", "X-Tenant", "a"))
                .succeedsWithin(Deadline.LONG)
                .satisfies(answer -> assertThat(answer.statusCode()).isEqualTo(200));

        // Its end is counted before its permit is back; in between it would be counted twice.
        assertThat(server.executor().awaitQuiet(Deadline.LONG)).isTrue();
        assertThat(server.executor()
                        .groupStats("posted:a")
                        .orElseThrow()
                        .totals()
                        .submitted())
                .isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource(names = {"SERVLET", "REACTIVE"})
    void aRuleForGetIsForHeadToo(WebApplicationType type) throws Exception {
        WebServer server = SERVERS.of(type);

        assertThat(server.head("/read/1", "X-Tenant", "a").statusCode()).isEqualTo(200);

        assertThat(server.executor().awaitQuiet(Deadline.LONG)).isTrue();
        assertThat(server.executor().groupStats("read:a").orElseThrow().totals().submitted())
                .isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource(names = {"SERVLET", "REACTIVE"})
    void whatTheApplicationKnowsHasAGroupOfItsOwn(WebApplicationType type) throws Exception {
        WebServer server = SERVERS.of(type);

        assertThat(groupsOf(server, 200, "/known/1", "X-Tenant", "member")).containsExactly("http:member");
        assertThat(groupsOf(server, 200, "/known/1", "X-Tenant", "made-up")).containsExactly("http:_unknown");
        assertThat(groupsOf(server, 200, "/new/1", "X-Tenant", "member")).containsExactly("http:member");
    }

    @ParameterizedTest
    @EnumSource(names = {"SERVLET", "REACTIVE"})
    void newcomersShareAGroupUntilOneOfTheirRequestsHasSucceeded(WebApplicationType type) throws Exception {
        WebServer server = SERVERS.of(type);
        for (String status : new String[] {"404", "500", "429"}) {
            assertThat(groupsOf(server, Integer.parseInt(status), "/new/1", "X-Tenant", "n", "X-Answer", status))
                    .containsExactly("http:_unknown");
        }
        assertThat(groupsOf(server, 200, "/new/1", "X-Tenant", "n")).containsExactly("http:_unknown");

        assertThat(groupsOf(server, 200, "/new/1", "X-Tenant", "n")).containsExactly("http:n");
        assertThat(groupsOf(server, 200, "/new/1", "X-Tenant", "m")).containsExactly("http:_unknown");
    }

    @ParameterizedTest
    @EnumSource(names = {"SERVLET", "REACTIVE"})
    void whatNoHandlerHasSeenIsNoProofOfAKey(WebApplicationType type) throws Exception {
        WebServer server = SERVERS.of(type);

        assertThat(server.options("/new/shown", "X-Tenant", "optional").statusCode())
                .isEqualTo(200);

        assertThat(groupsOf(server, 200, "/new/shown", "X-Tenant", "optional")).containsExactly("http:_unknown");
    }

    @ParameterizedTest
    @EnumSource(names = {"SERVLET", "REACTIVE"})
    void fewUnknownKeysHaveAGroupOfTheirOwnUntilTheySucceed(WebApplicationType type) throws Exception {
        WebServer server = SERVERS.of(type);

        assertThat(groupsOf(server, 404, "/few/1", "X-Tenant", "f1", "X-Answer", "404"))
                .containsExactly("http:f1");
        assertThat(groupsOf(server, 404, "/few/1", "X-Tenant", "f2", "X-Answer", "404"))
                .containsExactly("http:_unknown");
        assertThat(groupsOf(server, 200, "/few/1", "X-Tenant", "f1")).containsExactly("http:f1");
        assertThat(groupsOf(server, 404, "/few/1", "X-Tenant", "f2", "X-Answer", "404"))
                .containsExactly("http:f2");
    }

    @ParameterizedTest
    @EnumSource(names = {"SERVLET", "REACTIVE"})
    void aKeyHasToBeThatOfTheUser(WebApplicationType type) throws Exception {
        WebServer server = SERVERS.of(type);

        assertThat(groupsOf(server, 200, "/mine/1", "X-Tenant", "ann", "X-User", "ann"))
                .containsExactly("http:ann");
        assertThat(groupsOf(server, 403, "/mine/1", "X-Tenant", "ann", "X-User", "bob"))
                .isEmpty();
        assertThat(groupsOf(server, 403, "/mine/1", "X-Tenant", "ann")).isEmpty();
        HttpResponse<String> refusal = server.get("/mine/1", "X-Tenant", "ann");
        assertThat(refusal.headers().firstValue("Retry-After")).isEmpty();
        assertThat(refusal.body()).contains("isn't that of the logged-in user").doesNotContain("ann");
    }

    @ParameterizedTest
    @EnumSource(names = {"SERVLET", "REACTIVE"})
    void spellingsOfAKeyAreTheSameAsTheRuleSays(WebApplicationType type) throws Exception {
        WebServer server = SERVERS.of(type);

        assertThat(groupsOf(server, 200, "/lower/1", "X-Tenant", "ACME")).containsExactly("http:acme");
        assertThat(groupsOf(server, 200, "/trimmed/%C2%A0Acme%20")).containsExactly("http:Acme");
        assertThat(groupsOf(server, 200, "/trimmed/%C2%A0")).containsExactly("nobody");
        assertThat(groupsOf(server, 200, "/raw/%20Acme")).containsExactly("http: Acme");
    }

    @ParameterizedTest
    @EnumSource(names = {"SERVLET", "REACTIVE"})
    void requestsWaitAsLongAsTheirRuleSays(WebApplicationType type) throws Exception {
        WebServer server = SERVERS.of(type);
        GroupPermit permit = server.executor()
                .acquireAsync("http:busy")
                .toCompletableFuture()
                .get(Deadline.SECONDS, TimeUnit.SECONDS);
        try {
            HttpResponse<String> answer = server.get("/hasty/1", "X-Tenant", "busy");
            assertThat(answer.statusCode()).isEqualTo(429);
            assertThat(answer.body()).contains("QUEUE_TIMEOUT");
        } finally {
            permit.close();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"SERVLET", "REACTIVE"})
    void aRuleMayNameAnotherExecutor(WebApplicationType type) throws Exception {
        WebServer server = SERVERS.of(type);

        assertThat(groupsOf(server, "second", 200, "/second/1", "X-Tenant", "a"))
                .containsExactly("http:a");
        assertThat(groupsOf(server, "groupExecutor", 200, "/second/1", "X-Tenant", "a"))
                .isEmpty();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({Endpoints.class, Users.class, ReactiveUsers.class})
    static class Application {

        @Bean
        KnownGroupKeys members() {
            return "http:member"::equals;
        }

        @Bean(defaultCandidate = false)
        GroupExecutor second(GroupExecutorBuilder builder) {
            return builder.build("second", GroupPolicy.builder().build());
        }
    }

    @RestController
    static class Endpoints {

        @GetMapping("/new/shown")
        String shown() {
            return "done";
        }

        @RequestMapping("/**")
        ResponseEntity<String> any(@RequestHeader(name = "X-Answer", defaultValue = "200") int status) {
            return ResponseEntity.status(status).body("done");
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Users {

        @Bean
        Filter users() {
            return (request, response, chain) -> chain.doFilter(
                    new HttpServletRequestWrapper((HttpServletRequest) request) {
                        @Override
                        public Principal getUserPrincipal() {
                            String user = getHeader("X-User");
                            return user == null ? null : () -> user;
                        }
                    },
                    response);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class ReactiveUsers {

        @Bean
        WebFilter usersOfExchanges() {
            return (exchange, chain) -> {
                String user = exchange.getRequest().getHeaders().getFirst("X-User");
                Principal principal = () -> user;
                return chain.filter(
                        user == null
                                ? exchange
                                : exchange.mutate()
                                        .principal(Mono.just(principal))
                                        .build());
            };
        }
    }
}
