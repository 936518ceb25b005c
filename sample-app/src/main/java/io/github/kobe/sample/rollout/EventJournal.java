package io.github.kobe.sample.rollout;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.kobe.rollout.RolloutEvent;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Profile;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/** Writes each event into a file, which is still there when the process is killed: plan, tenant, number, and what happened. */
@Component
@Profile("rollout")
class EventJournal {

    private final Path file;

    EventJournal(@Value("${sample.rollout.journal}") Path file) {
        this.file = file;
    }

    @EventListener
    void append(RolloutEvent event) throws IOException {
        String whose = event.tenantId() == null ? "(plan)" : event.tenantId().value();
        String line =
                String.join("\t", event.planId().value(), whose, String.valueOf(event.sequenceId()), event.message());
        Files.writeString(file, line + "\n", UTF_8, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }
}
