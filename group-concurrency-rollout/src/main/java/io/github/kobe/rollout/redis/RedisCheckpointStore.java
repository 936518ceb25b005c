package io.github.kobe.rollout.redis;

import com.google.gson.Gson;
import io.github.kobe.rollout.Checkpoint;
import io.github.kobe.rollout.CheckpointStore;
import io.github.kobe.rollout.TaskId;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * Stores checkpoints in Redis, each as JSON under its own key: the namespace and the task's id. The tasks themselves
 * are stored elsewhere, in a database for instance:
 *
 * <pre>{@code
 * Rollouts rollouts = Rollouts.builder(executor)
 *         .stages(Stage.named("Migrate").step(ctx -> migrate(ctx.tenantId(), ctx.config())))
 *         .store(JdbcRolloutStore.of(dataSource))
 *         .checkpoints(RedisCheckpointStore.of(redisTemplate).withNamespace("orders:rollout:"))
 *         .build();
 * }</pre>
 *
 * <p>A checkpoint is saved before the stage's end is recorded with the task. If the node is lost between the two, the
 * stage isn't run again. If the checkpoint is lost, or can't be read, the record of the task is used.
 *
 * <p>A task whose checkpoint can't be saved or loaded fails, with a {@link io.github.kobe.rollout.CheckpointException}.
 * So the connection needs a command timeout of some seconds: a stage waits that long for a Redis that doesn't answer.
 * Needs Spring's {@code spring-data-redis} and a driver such as Lettuce, and no Spring container.
 *
 * <p>Thread-safe. The {@code with} methods return another store.
 *
 * @since 0.1.0
 */
public final class RedisCheckpointStore implements CheckpointStore {

    private static final Logger LOG = LoggerFactory.getLogger(RedisCheckpointStore.class);

    private static final String DEFAULT_NAMESPACE = "rollout:checkpoint:";
    private static final String END_OF_NAMESPACE = ":";

    private static final Duration DEFAULT_TTL = Duration.ofHours(24);
    private static final Duration SHORTEST_TTL = Duration.ofSeconds(1);
    private static final Duration LONGEST_TTL = Duration.ofDays(365);

    private static final Gson GSON = new Gson();

    private final StringRedisTemplate redis;
    private final String namespace;
    private final Duration ttl;

    private RedisCheckpointStore(StringRedisTemplate redis, String namespace, Duration ttl) {
        this.redis = redis;
        this.namespace = namespace;
        this.ttl = ttl;
    }

    /**
     * Makes a store with the namespace {@code rollout:checkpoint:}, whose checkpoints live for 24 hours.
     *
     * @param redis the access to Redis
     * @return the store
     */
    public static RedisCheckpointStore of(StringRedisTemplate redis) {
        return new RedisCheckpointStore(Objects.requireNonNull(redis, "redis"), DEFAULT_NAMESPACE, DEFAULT_TTL);
    }

    /**
     * Sets the beginning of all keys. It must be the same on all nodes that share rollouts.
     *
     * @param prefix the beginning of all keys, which ends in a colon
     * @return another store
     * @throws IllegalArgumentException if it doesn't end in a colon, or has nothing before it
     */
    public RedisCheckpointStore withNamespace(String prefix) {
        if (!prefix.endsWith(END_OF_NAMESPACE) || prefix.isBlank() || prefix.equals(END_OF_NAMESPACE)) {
            throw new IllegalArgumentException(
                    "namespace is '" + prefix + "'; it must be some text that ends in '" + END_OF_NAMESPACE + "'");
        }
        return new RedisCheckpointStore(redis, prefix, ttl);
    }

    /**
     * Sets how long a checkpoint lives after it was saved. It should be longer than a stage takes, and than it takes
     * until somebody retries.
     *
     * @param time from 1 second to 365 days; the default is 24 hours
     * @return another store
     * @throws IllegalArgumentException if it is out of that range
     */
    public RedisCheckpointStore withTtl(Duration time) {
        if (time.compareTo(SHORTEST_TTL) < 0 || time.compareTo(LONGEST_TTL) > 0) {
            throw new IllegalArgumentException(
                    "ttl is " + time + "; it must be from " + SHORTEST_TTL + " to " + LONGEST_TTL);
        }
        return new RedisCheckpointStore(redis, namespace, time);
    }

    @Override
    public void save(Checkpoint checkpoint) {
        redis.opsForValue().set(key(checkpoint.taskId()), GSON.toJson(Entry.of(checkpoint)), ttl);
    }

    @Override
    public Optional<Checkpoint> load(TaskId taskId) {
        return parse(taskId, redis.opsForValue().get(key(taskId)));
    }

    /** Asks once for all of them. */
    @Override
    public List<Checkpoint> loadMultiple(Collection<TaskId> taskIds) {
        if (taskIds.isEmpty()) {
            return List.of();
        }
        List<TaskId> ids = List.copyOf(taskIds);
        List<@Nullable String> texts = Objects.requireNonNull(
                redis.opsForValue().multiGet(ids.stream().map(this::key).toList()));
        List<Checkpoint> found = new ArrayList<>();
        for (int index = 0; index < ids.size(); index++) {
            parse(ids.get(index), texts.get(index)).ifPresent(found::add);
        }
        return found;
    }

    @Override
    public void remove(TaskId taskId) {
        redis.delete(key(taskId));
    }

    private String key(TaskId taskId) {
        return namespace + taskId.value();
    }

    private Optional<Checkpoint> parse(TaskId taskId, @Nullable String text) {
        try {
            return text == null
                    ? Optional.empty()
                    : Optional.of(Objects.requireNonNull(GSON.fromJson(text, Entry.class))
                            .checkpoint(taskId));
        } catch (RuntimeException e) {
            LOG.warn("What Redis has under {} is no checkpoint; it is taken for lost", key(taskId), e);
            return Optional.empty();
        }
    }

    /** A checkpoint as it is written, without the task, which is in the key. */
    private record Entry(
            int lastCompletedStageIndex,
            List<String> completedStageNames,
            String timestamp,
            int run,
            int attempt,
            long token,
            boolean skipped,
            Map<String, String> data) {

        static Entry of(Checkpoint checkpoint) {
            return new Entry(
                    checkpoint.lastCompletedStageIndex(),
                    checkpoint.completedStageNames(),
                    checkpoint.timestamp().toString(),
                    checkpoint.run(),
                    checkpoint.attempt(),
                    checkpoint.token(),
                    checkpoint.skipped(),
                    checkpoint.data());
        }

        Checkpoint checkpoint(TaskId taskId) {
            return new Checkpoint(
                    taskId,
                    lastCompletedStageIndex,
                    completedStageNames,
                    Instant.parse(timestamp),
                    run,
                    attempt,
                    token,
                    skipped,
                    data);
        }
    }
}
