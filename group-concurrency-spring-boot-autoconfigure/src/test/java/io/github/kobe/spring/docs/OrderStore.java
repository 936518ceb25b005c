package io.github.kobe.spring.docs;

import io.github.kobe.spring.annotation.GroupConcurrent;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;

/** What the howto on databases shows. */
class OrderStore {

    private final JdbcTemplate database;

    OrderStore(JdbcTemplate database) {
        this.database = database;
        database.execute("CREATE TABLE IF NOT EXISTS orders (tenant VARCHAR(20), article VARCHAR(20))");
        database.update("DELETE FROM orders");
    }

    @Transactional(readOnly = true)
    @GroupConcurrent(group = "db-read")
    public int countOf(String tenantId) {
        String sql = "SELECT COUNT(*) FROM orders WHERE tenant = ?";
        return database.queryForObject(sql, Integer.class, tenantId);
    }

    @Transactional
    @GroupConcurrent(group = "db-write")
    public void place(String tenantId, String article) {
        database.update("INSERT INTO orders VALUES (?, ?)", tenantId, article);
    }
}
