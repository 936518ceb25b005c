package io.github.kobe.sample.export;

import org.jspecify.annotations.Nullable;

/**
 * What a client sees of an export.
 *
 * @param id names it
 * @param tenant whose reports
 * @param state where it is
 * @param built how many reports are built
 * @param of how many there will be
 * @param problem why it failed
 */
record ExportStatus(
        long id,
        String tenant,
        ExportState state,
        int built,
        int of,
        @Nullable String problem) {}
