package io.github.kobe.sample.partner;

/**
 * Requests at the partner.
 *
 * @param now how many are being served
 * @param peak the most that were ever served at once
 * @param served how many were answered
 */
public record Traffic(int now, int peak, long served) {

    static final Traffic NONE = new Traffic(0, 0, 0);

    Traffic arrived() {
        return new Traffic(now + 1, Math.max(peak, now + 1), served);
    }

    Traffic answered() {
        return new Traffic(now - 1, peak, served + 1);
    }
}
