package io.github.kobe.benchmarks;

import java.util.Locale;

/** Numbers as people read them: three digits that count, none behind the point from 100 up. */
final class Figure {

    private Figure() {}

    static String of(double value) {
        double size = Math.abs(value);
        int decimals = size >= 100 ? 0 : size >= 10 ? 1 : 2;
        String text = String.format(Locale.ROOT, "%,." + decimals + "f", value);
        return text.contains(".") ? text.replaceAll("\\.?0+$", "") : text;
    }
}
