package io.github.kobe.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPolicy;
import io.github.kobe.spring.web.Newcomers.Place;
import io.github.kobe.testing.Deadline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class NewcomersTests {

    private static final Duration IDLE = Duration.ofMinutes(10);
    private static final GroupPolicy POLICY =
            GroupPolicy.builder().group("named", GroupLimits.unset()).build();

    private final AtomicLong now = new AtomicLong();

    private Newcomers atMost(int most) {
        return new Newcomers("_unknown", () -> "known"::equals, false, most, now::get);
    }

    private static Place place(Newcomers newcomers, String key) {
        return newcomers.place(key, POLICY);
    }

    @Test
    void soManyUnknownKeysHaveAGroupOfTheirOwnUntilTheyAreIdleForLong() {
        Newcomers two = atMost(2);
        Place a = place(two, "a");
        Place again = place(two, "a");
        Place b = place(two, "b");

        assertThat(List.of(a.groupKey(), again.groupKey(), b.groupKey())).containsExactly("a", "a", "b");
        assertThat(place(two, "c").groupKey()).isEqualTo("_unknown");
        assertThat(place(two, "named").groupKey()).isEqualTo("named");
        assertThat(place(two, "known").groupKey()).isEqualTo("known");

        a.end(false);
        a.end(false);
        b.end(false);
        assertThat(place(two, "d").groupKey()).as("places are kept").isEqualTo("_unknown");
        now.addAndGet(IDLE.toNanos());
        assertThat(place(two, "d").groupKey()).as("that of b, for a is in use").isEqualTo("d");
        assertThat(place(two, "e").groupKey()).isEqualTo("_unknown");

        again.end(false);
        now.addAndGet(IDLE.toNanos());
        assertThat(place(two, "e").groupKey()).isEqualTo("e");
    }

    @Test
    void aKeyThatHasSucceededLeavesItsPlaceToAnother() {
        Newcomers one = atMost(1);
        Place a = place(one, "a");
        assertThat(place(one, "b").groupKey()).isEqualTo("_unknown");

        a.end(true);

        assertThat(place(one, "b").groupKey()).isEqualTo("b");
        assertThat(place(one, "a").groupKey()).isEqualTo("a");
    }

    @Test
    void aKeyThatHasSucceededIsTrustedWhereverItWas() {
        Newcomers shared = atMost(0);
        Place first = place(shared, "a");
        assertThat(first.groupKey()).isEqualTo("_unknown");
        first.end(false);
        Place second = place(shared, "a");
        assertThat(second.groupKey()).isEqualTo("_unknown");
        second.end(true);

        assertThat(place(shared, "a").groupKey()).isEqualTo("a");
        assertThat(place(shared, "b").groupKey()).isEqualTo("_unknown");
    }

    @Test
    void theMostRecentlyUsedKeysAreRemembered() {
        Newcomers shared = atMost(0);
        for (int i = 0; i < Newcomers.REMEMBERED; i++) {
            place(shared, "key-" + i).end(true);
        }
        assertThat(place(shared, "key-0").groupKey()).isEqualTo("key-0");

        place(shared, "one-more").end(true);

        assertThat(place(shared, "key-0").groupKey()).isEqualTo("key-0");
        assertThat(place(shared, "key-1").groupKey()).isEqualTo("_unknown");
    }

    @Test
    void whereOnlyKnownKeysHaveAGroupSuccessChangesNothing() {
        Newcomers knownOnly = new Newcomers("_unknown", () -> "known"::equals, true, Integer.MAX_VALUE, now::get);
        place(knownOnly, "a").end(true);

        assertThat(place(knownOnly, "a").groupKey()).isEqualTo("_unknown");
        assertThat(place(knownOnly, "known").groupKey()).isEqualTo("known");
        assertThat(place(knownOnly, "named").groupKey()).isEqualTo("named");
    }

    @Test
    void aLateEndIsThatOfItsOwnStay() {
        Newcomers one = atMost(1);
        Place first = place(one, "a");
        place(one, "a").end(true);
        for (int i = 0; i < Newcomers.REMEMBERED; i++) {
            place(one, "key-" + i).end(true);
        }
        Place again = place(one, "a");
        assertThat(again.groupKey()).isEqualTo("a");

        first.end(false);
        now.addAndGet(IDLE.toNanos());

        assertThat(place(one, "b").groupKey()).as("a is in use").isEqualTo("_unknown");
    }

    @Test
    void withoutABoundEachKeyHasItsGroupAndNobodyIsAsked() {
        Newcomers all = new Newcomers(
                "_unknown",
                () -> key -> {
                    throw new AssertionError("asked");
                },
                false,
                Integer.MAX_VALUE,
                now::get);

        assertThat(place(all, "a").groupKey()).isEqualTo("a");
    }

    @Test
    void noPlaceIsLostWhileManyRequestsComeAndGo() throws Exception {
        Newcomers three = atMost(3);
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < 8; t++) {
            String key = "key-" + t;
            threads.add(Thread.startVirtualThread(() -> {
                for (int i = 0; i < 2_000; i++) {
                    place(three, key).end(false);
                }
            }));
        }
        for (Thread thread : threads) {
            assertThat(thread.join(Deadline.LONG)).isTrue();
        }
        now.addAndGet(IDLE.toNanos());

        assertThat(List.of(
                        place(three, "x").groupKey(),
                        place(three, "y").groupKey(),
                        place(three, "z").groupKey(),
                        place(three, "beyond").groupKey()))
                .containsExactly("x", "y", "z", "_unknown");
    }
}
