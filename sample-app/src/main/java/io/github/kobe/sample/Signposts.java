package io.github.kobe.sample;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.event.EventListener;
import org.springframework.core.env.Environment;
import org.springframework.core.env.Profiles;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Says where to look: in the log at the start, and at {@code /}. */
@RestController
class Signposts {

    private static final Logger LOGGER = LoggerFactory.getLogger(Signposts.class);

    private final Environment environment;
    private final List<Signpost> all = new ArrayList<>();

    private record Signpost(String path, String what) {}

    Signposts(Environment environment) {
        this.environment = environment;
        if (environment.getProperty("group-concurrency.dashboard.enabled", Boolean.class, false)) {
            all.add(new Signpost("/group-concurrency/", "the live page: watch it during a flood"));
        }
        all.add(new Signpost(
                "/actuator/groupexecutor", "all groups: what runs and waits, the limits, what became of it"));
        all.add(new Signpost("/actuator/groupscopes", "credit reports that are being made"));
        all.add(new Signpost("/actuator/metrics/group.executor.submitted", "one of the meters"));
        all.add(new Signpost("/partner/traffic", "what the partner counts by itself"));
        all.add(new Signpost(
                "/partner/quota", "what it counts of VAT numbers, of which it takes only so many a minute"));
        if (environment.acceptsProfiles(Profiles.of("rollout"))) {
            all.add(new Signpost("/actuator/rollouts", "all rollouts"));
        }
    }

    @EventListener(ApplicationReadyEvent.class)
    void log() {
        String address = "http://localhost:" + environment.getProperty("local.server.port");
        String places = all.stream()
                .map(each -> String.format(Locale.ROOT, "  %-70s %s%n", address + each.path(), each.what()))
                .collect(Collectors.joining());
        LOGGER.info("{}. Look at{}{}", limits(), System.lineSeparator(), places);
    }

    @GetMapping(path = "/", produces = MediaType.TEXT_HTML_VALUE)
    String page() {
        String places = all.stream()
                .map(each -> "<li><a href=\"" + each.path() + "\">" + each.path() + "</a> – " + each.what())
                .collect(Collectors.joining("\n"));
        return """
            <!doctype html>
            <html lang="en">
            <meta charset="utf-8">
            <title>Reports for many tenants</title>
            <h1>Reports for many tenants</h1>
            <p>%s.
            <ul>
            %s
            </ul>
            <p>Start a flood with <code>./sample-app/%s</code>; <code>sample-app/README.md</code> has more to try.
            """.formatted(limits(), places, flood());
    }

    private String flood() {
        return environment.acceptsProfiles(Profiles.of("long")) ? "flood.sh --long" : "flood.sh";
    }

    private String limits() {
        return environment.getProperty("group-concurrency.annotation.enabled", Boolean.class, true)
                ? "Tenants are kept to their limits"
                : "Nothing is limited: the annotations are switched off";
    }
}
