package io.github.kobe.spring.docs;

import java.io.IOException;
import java.util.List;

/** An application's own: the rows that a bulk job works on. */
interface RowStore {

    List<Row> all();

    void recompute(Row row) throws IOException, InterruptedException;

    /** One of them. */
    record Row(int id, String tenant) {}
}
