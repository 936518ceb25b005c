package io.github.kobe.rollout.jdbc;

import io.github.kobe.rollout.ConfigCodec;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** The table of configurations, in the form in which a codec wants them kept. */
final class ConfigRows {

    /** How many characters, about, one statement brings. */
    private static final int BATCH = 4_000_000;

    private static final String DELETE = "delete from rollout_config where config_id = ?"
            + " and not exists (select 1 from rollout_task where config_id = ?)"
            + " and not exists (select 1 from rollout_task where previous_config = ?)"
            + " and not exists (select 1 from rollout_tenant where good_config = ?)";

    private final Database database;
    private final ConfigCodec codec;

    ConfigRows(Database database, ConfigCodec codec) {
        this.database = database;
        this.codec = codec;
    }

    String encode(String config) {
        return codec.encode(config);
    }

    String decode(String body) {
        return codec.decode(body);
    }

    /** {@return the id of what is kept} */
    static String idOf(String body) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(body.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("each Java platform has SHA-256", e);
        }
    }

    /**
     * Adds those that aren't there, and locks all, so that nobody takes one for unnamed until the transaction has named it.
     *
     * @param bodies by their ids, in whose order all transactions lock
     */
    void add(SortedMap<String, String> bodies) {
        Map<String, String> left = new LinkedHashMap<>(bodies);
        while (!left.isEmpty()) {
            insert(left);
            lock(left.keySet()).forEach(left::remove);
        }
    }

    private void insert(Map<String, String> bodies) {
        List<Object[]> rows = new ArrayList<>();
        long size = 0;
        for (Map.Entry<String, String> each : bodies.entrySet()) {
            rows.add(new Object[] {each.getKey(), each.getValue()});
            size += each.getValue().length();
            if (size >= BATCH) {
                insert(rows);
                size = 0;
            }
        }
        insert(rows);
    }

    private void insert(List<Object[]> rows) {
        if (!rows.isEmpty()) {
            database.template().batchUpdate(database.dialect().addConfig(), rows);
            rows.clear();
        }
    }

    /** {@return those that are there} */
    private List<String> lock(Collection<String> configIds) {
        return database.query(
                "select config_id from rollout_config where config_id in (:ids) order by config_id for update",
                List.copyOf(configIds),
                (row, index) -> row.getString("config_id"));
    }

    Optional<String> find(String configId) {
        return database.client()
                .sql("select body from rollout_config where config_id = ?")
                .param(configId)
                .query(String.class)
                .optional();
    }

    /** {@return those that the tasks of a plan name} */
    SortedSet<String> idsOfPlan(String planId) {
        return database
                .client()
                .sql("select config_id from rollout_task where application = ? and plan_id = ?"
                        + " union select previous_config from rollout_task"
                        + " where application = ? and plan_id = ? and previous_config is not null")
                .params(database.application(), planId, database.application(), planId)
                .query(String.class)
                .stream()
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** Deletes those that nobody names any more. Who is about to name one has locked it. */
    void deleteUnnamed(SortedSet<String> configIds) {
        List<Object[]> rows = lock(configIds).stream()
                .map(id -> new Object[] {id, id, id, id})
                .toList();
        if (!rows.isEmpty()) {
            database.template().batchUpdate(DELETE, rows);
        }
    }
}
