package io.github.kobe.rollout.http;

import io.github.kobe.rollout.ConfigSnapshot;
import io.github.kobe.rollout.DeployUnit;
import io.github.kobe.rollout.HealthCheckClient;
import io.github.kobe.rollout.HttpTransport;
import io.github.kobe.rollout.PreviousConfig;
import io.github.kobe.rollout.RolloutSettings;
import io.github.kobe.rollout.StageContext;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** Asks a tenant's instances for the configuration that they have now, if that is set. */
final class PresentConfig implements PreviousConfig {

    private static final String SETTING = "http.fetch-previous";

    /** Nobody tells the name of what was there. */
    private static final String NAME = "previous";

    private final HttpTransport transport;
    private final Pauses pauses;

    PresentConfig(HttpTransport transport, Pauses pauses) {
        this.transport = transport;
        this.pauses = pauses;
    }

    /**
     * {@return whether instances are asked}
     *
     * @throws IllegalArgumentException if the setting is neither {@code true} nor {@code false}
     */
    static boolean isFetched(RolloutSettings settings) {
        String text = settings.text(SETTING, "false");
        if (!text.equals("true") && !text.equals("false")) {
            throw new IllegalArgumentException(SETTING + " is '" + text + "'; it must be true or false");
        }
        return text.equals("true");
    }

    @Override
    public Optional<ConfigSnapshot> find(StageContext context, HealthCheckClient health)
            throws IOException, InterruptedException {
        RolloutSettings settings = context.settings();
        if (!isFetched(settings) || context.change().endpoints().isEmpty()) {
            return Optional.empty();
        }
        List<Optional<String>> configs = new Requests(settings, transport)
                .get(context, "/config").stream().distinct().toList();
        if (configs.size() > 1) {
            throw new IOException("the instances have different configurations; the change must say which was before");
        }
        Optional<String> config = configs.getFirst();
        if (config.isEmpty()) {
            return Optional.empty();
        }
        long version = new HealthPoll(settings, health, pauses).present(context);
        long unit = context.change().unit().version().unitId();
        return Optional.of(new ConfigSnapshot(DeployUnit.of(unit, version, NAME), config.get()));
    }
}
