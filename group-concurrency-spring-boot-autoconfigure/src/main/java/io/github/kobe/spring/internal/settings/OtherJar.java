package io.github.kobe.spring.internal.settings;

import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/** A jar of its own with settings below {@code group-concurrency}, which an application may have or not. */
public enum OtherJar {
    /** Rollouts. */
    ROLLOUT(
            "group-concurrency-rollout-spring-boot",
            "io.github.kobe.spring.rollout.GroupConcurrencyRolloutAutoConfiguration"),
    /** The live page. */
    DASHBOARD(
            "group-concurrency-dashboard",
            "io.github.kobe.spring.dashboard.GroupConcurrencyDashboardAutoConfiguration");

    private final String artifact;
    private final String type;

    OtherJar(String artifact, String type) {
        this.artifact = artifact;
        this.type = type;
    }

    /**
     * {@return the jar whose settings have this as their first element, in uniform spelling; empty: none}
     *
     * @param element the element
     */
    static Optional<OtherJar> of(String element) {
        return Stream.of(values()).filter(jar -> jar.element().equals(element)).findFirst();
    }

    /** {@return what its settings have as their first element} */
    String element() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** {@return what to name as a dependency} */
    public String coordinates() {
        return "io.github.kobe:" + artifact;
    }

    /**
     * {@return whether it isn't there}
     *
     * @param loader where to look; {@code null}: where the application's classes are
     */
    public boolean isMissing(@Nullable ClassLoader loader) {
        return !ClassUtils.isPresent(type, loader);
    }
}
