package io.github.kobe.cluster.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.cluster.Demand;
import io.github.kobe.cluster.Hint;
import io.github.kobe.cluster.StoreNode;
import io.github.kobe.cluster.StoreScene;
import io.github.kobe.cluster.StoreScene.Place;
import io.github.kobe.testing.Depth;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** The script divides as core does, whatever nodes have, want and were told; stamps are often the same. */
@Tag("deep")
@Tag("CL70")
@Timeout(value = 10, unit = TimeUnit.MINUTES)
@ExtendWith(OneServer.class)
class DivisionTwinTests {

    private static final int STATEMENTS = Depth.pick(20, 400, 10_000);
    private static final int DEMANDS = 100;
    private static final int NODES = 10;

    private final StoreScene java = StoreScene.inMemory().thatKnows();
    private final StoreScene lua = ScriptScene.on(OneServer.connection()).thatKnows();

    @Test
    void divideAlike() {
        long seed = Depth.seed();
        Random random = new Random(seed);
        List<StoreNode> inJava = nodes(java);
        List<StoreNode> inLua = nodes(lua);
        for (int i = 0; i < STATEMENTS; i++) {
            int passed = random.nextInt(300);
            int speaker = random.nextInt(NODES);
            Demand[] demands = new Demand[DEMANDS];
            java.pass(passed);
            lua.pass(passed);
            Map<String, List<Place>> places = new HashMap<>();
            for (int j = 0; j < DEMANDS; j++) {
                demands[j] = demand(random, "g:" + j, "n" + speaker, places);
            }
            java.remember(places);
            lua.remember(places);
            String as = "seed %d, statement %d".formatted(seed, i);
            assertThat(inLua.get(speaker).exchange(demands))
                    .as(as)
                    .isEqualTo(inJava.get(speaker).exchange(demands));
            assertThat(byResource(lua.hints())).as(as).isEqualTo(byResource(java.hints()));
        }
    }

    private static List<StoreNode> nodes(StoreScene scene) {
        List<StoreNode> nodes = new ArrayList<>();
        for (int i = 0; i < NODES; i++) {
            nodes.add(scene.opened("n" + i));
        }
        return nodes;
    }

    private Demand demand(Random random, String resource, String speaker, Map<String, List<Place>> all) {
        long now = java.log();
        int limit = 1 + random.nextInt(random.nextBoolean() ? 4 : 30);
        int most = 1 + random.nextInt(2 * limit);
        List<Place> places = new ArrayList<>();
        for (int i = 0; i < NODES; i++) {
            if (random.nextInt(3) > 0) {
                places.add(place(random, "n" + i, limit, most, now));
            }
        }
        all.put(resource, places);
        int has = places.stream()
                .filter(place -> place.session().equals(speaker) && random.nextBoolean())
                .map(Place::has)
                .findFirst()
                .orElse(random.nextInt(most));
        return new Demand(resource, has, random.nextInt(most + 1), random.nextInt(3), limit);
    }

    private static Place place(Random random, String session, int limit, int most, long now) {
        int has = random.nextInt(3) == 0 ? 0 : random.nextInt(most);
        int want = random.nextInt(4) == 0 ? has : random.nextInt(most + 1);
        return new Place(
                session,
                has,
                want,
                random.nextInt(5) == 0 ? 1 + random.nextInt(30) : limit,
                stamp(random, now, 6),
                stamp(random, now, random.nextBoolean() ? 40 : 4_000),
                stamp(random, now, 2_000),
                stamp(random, now, 2_000),
                stamp(random, now, 1_000),
                has == 0 ? 0 : random.nextInt(has + 1));
    }

    private static long stamp(Random random, long now, int most) {
        return random.nextInt(5) == 0 ? StoreScene.NEVER : Math.max(0, now - random.nextInt(most));
    }

    private static Map<String, Set<String>> byResource(List<Hint> hints) {
        Map<String, Set<String>> all = new TreeMap<>();
        for (Hint hint : hints) {
            hint.resources()
                    .forEach(resource -> all.computeIfAbsent(resource, any -> new TreeSet<>())
                            .add(hint.session()));
        }
        return all;
    }
}
