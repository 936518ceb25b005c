package io.github.kobe.spring.cluster;

import io.github.kobe.cluster.redis.RedisClusterStore;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.RedisURI;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;
import org.springframework.data.redis.connection.NamedNode;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisPassword;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.connection.lettuce.RedisCredentialsProviderFactory;

/** Reads where a connection factory of Spring Data connects to. The store doesn't use its connections, nor their options. */
final class SpringDataRedis {

    private static final String PRIMARY_AND_REPLICAS = "spring.data.redis.masterreplica.nodes";

    private static final String BY_NAME = "to a primary and its replicas by name";

    private SpringDataRedis() {}

    /**
     * Begins a store at the same server, with the same credentials, TLS and threads.
     *
     * @throws IllegalStateException if it connects in another way than to one server, or to one that Sentinels watch
     */
    static RedisClusterStore.Builder store(
            RedisConnectionFactory connections,
            ObjectProvider<RedisStaticMasterReplicaConfiguration> primaryAndReplicas,
            Environment environment) {
        if (!(connections instanceof LettuceConnectionFactory factory)) {
            throw unfit("through " + connections.getClass().getSimpleName() + ", not Lettuce");
        }
        if (Binder.get(environment).bind(PRIMARY_AND_REPLICAS, String[].class).isBound()) {
            throw unfit(BY_NAME); // the factory shows no sign of it
        }
        LettuceClientConfiguration client = factory.getClientConfiguration();
        RedisURI.Builder uri = factory.getSentinelConfiguration() != null
                ? sentinels(factory.getSentinelConfiguration(), client)
                : standalone(factory, client, primaryAndReplicas);
        uri.withSsl(client.isUseSsl()).withVerifyPeer(client.getVerifyMode()).withStartTls(client.isStartTls());
        RedisClusterStore.Builder store = RedisClusterStore.builder(uri.build());
        client.getClientOptions().map(ClientOptions::getSslOptions).ifPresent(store::sslOptions);
        client.getClientResources().ifPresent(store::clientResources);
        return store;
    }

    private static IllegalStateException unfit(String how) {
        return new IllegalStateException(
                "Limits over many instances need one Redis server, or Sentinels, and Spring Data connects " + how
                        + ". Set group-concurrency.redis.uri to the Redis that they are to use.");
    }

    private static RedisURI.Builder standalone(
            LettuceConnectionFactory factory,
            LettuceClientConfiguration client,
            ObjectProvider<RedisStaticMasterReplicaConfiguration> primaryAndReplicas) {
        if (factory.isClusterAware()) {
            throw unfit("to a Redis Cluster");
        }
        if (factory.getSocketConfiguration() != null) {
            throw unfit("to a socket in the file system");
        }
        RedisStandaloneConfiguration server = factory.getStandaloneConfiguration();
        // What a factory shows that was made from another configuration.
        boolean saysNothing = server.equals(new RedisStandaloneConfiguration());
        if (saysNothing && primaryAndReplicas.stream().findAny().isPresent()) {
            throw unfit(BY_NAME);
        }
        if (!goesBy(server, factory)) {
            throw unfit("by a configuration that its factory doesn't show");
        }
        RedisURI.Builder uri =
                RedisURI.Builder.redis(server.getHostName(), server.getPort()).withDatabase(server.getDatabase());
        provider(client, each -> each.createCredentialsProvider(server))
                .ifPresentOrElse(
                        uri::withAuthentication, () -> authenticate(uri, server.getUsername(), server.getPassword()));
        return uri;
    }

    /** {@return whether the factory goes by that, as far as it tells} One that was given as an interface isn't shown. */
    private static boolean goesBy(RedisStandaloneConfiguration server, LettuceConnectionFactory factory) {
        return server.getHostName().equals(factory.getHostName())
                && server.getPort() == factory.getPort()
                && server.getDatabase() == factory.getDatabase()
                && Objects.equals(server.getPassword().map(String::new).orElse(null), factory.getPassword());
    }

    private static RedisURI.Builder sentinels(RedisSentinelConfiguration watched, LettuceClientConfiguration client) {
        NamedNode primary = watched.getMaster();
        RedisURI.Builder uri = RedisURI.builder()
                .withSentinelMasterId(primary == null ? "" : String.valueOf(primary.getName()))
                .withDatabase(watched.getDatabase());
        for (RedisNode sentinel : watched.getSentinels()) {
            RedisURI.Builder one = RedisURI.Builder.redis(
                    String.valueOf(sentinel.getHost()),
                    sentinel.getPort() == null ? RedisURI.DEFAULT_SENTINEL_PORT : sentinel.getPort());
            provider(client, each -> each.createSentinelCredentialsProvider(watched))
                    .ifPresentOrElse(
                            one::withAuthentication,
                            () -> authenticate(one, watched.getSentinelUsername(), watched.getSentinelPassword()));
            uri.withSentinel(one.build());
        }
        provider(client, each -> each.createCredentialsProvider(watched))
                .ifPresentOrElse(
                        uri::withAuthentication, () -> authenticate(uri, watched.getUsername(), watched.getPassword()));
        return uri;
    }

    /** {@return whom to ask for credentials at each connect, if the application has somebody} */
    private static Optional<RedisCredentialsProvider> provider(
            LettuceClientConfiguration client,
            Function<RedisCredentialsProviderFactory, @Nullable RedisCredentialsProvider> made) {
        return client.getRedisCredentialsProviderFactory().map(made);
    }

    private static void authenticate(RedisURI.Builder uri, @Nullable String username, RedisPassword password) {
        password.toOptional().ifPresent(secret -> {
            if (username == null || username.isEmpty()) {
                uri.withPassword(secret);
            } else {
                uri.withAuthentication(username, secret);
            }
        });
    }
}
