package io.github.kobe.spring.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupStats;
import io.github.kobe.testing.Deadline;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/** Settings of the simulator by chance, and what it tells for them, played on an engine. */
final class SimulatedHistory {

    private final int cap;
    private final int headroom;
    private final int seed;
    private final boolean varies;
    private final List<Tenant> tenants = new ArrayList<>();

    /** @param limit 0: none */
    private record Tenant(int tasks, int at, int rate, int length, int limit, int weight, int guaranteed, boolean own) {

        Map<String, Object> forPage() {
            Map<String, Object> map = new LinkedHashMap<>(Map.of(
                    "tasks",
                    tasks,
                    "at",
                    at,
                    "rate",
                    rate,
                    "length",
                    length,
                    "weight",
                    weight,
                    "guaranteed",
                    guaranteed,
                    "own",
                    own));
            map.put("limit", limit == 0 ? null : limit);
            return map;
        }

        GroupLimits limits() {
            return GroupLimits.unset()
                    .withMaxConcurrency(limit == 0 ? Integer.MAX_VALUE : limit)
                    .withWeight(weight)
                    .withGuaranteed(guaranteed);
        }
    }

    /** Mostly small; now and then so much is held that levels share a place. */
    SimulatedHistory(long seedOfAll) {
        Random random = new Random(seedOfAll);
        boolean large = random.nextInt(20) == 0;
        cap = large ? 150 + random.nextInt(150) : 1 + random.nextInt(8);
        headroom = random.nextInt(Math.min(cap, 3));
        seed = 1 + random.nextInt(999_999);
        varies = random.nextBoolean();
        int left = cap - headroom;
        int count = large ? 2 : 2 + random.nextInt(4);
        for (int i = 0; i < count; i++) {
            int limit = large || random.nextInt(4) == 0 ? 0 : 1 + random.nextInt(8);
            boolean own = random.nextBoolean();
            int most = Math.min(limit == 0 ? cap : limit, own ? left : cap);
            int guaranteed = large || random.nextBoolean() ? 0 : random.nextInt(1 + most);
            left -= own ? guaranteed : 0;
            tenants.add(new Tenant(
                    large ? 300 + random.nextInt(300) : random.nextInt(40),
                    random.nextInt(50),
                    large || random.nextBoolean() ? 0 : 1 + random.nextInt(400),
                    1 + random.nextInt(60),
                    limit,
                    large ? 1 : 1 + random.nextInt(3),
                    guaranteed,
                    own));
        }
    }

    /** {@return the settings as the page's script takes them} */
    Map<String, Object> forPage() {
        return Map.of(
                "cap",
                cap,
                "headroom",
                headroom,
                "seed",
                seed,
                "varies",
                varies,
                "tenants",
                tenants.stream().map(Tenant::forPage).toList());
    }

    private static String key(int tenant) {
        return "tenant-" + tenant;
    }

    private GroupPolicy policy() {
        GroupPolicy.Builder builder =
                GroupPolicy.builder().globalMaxInFlight(cap).globalHeadroom(headroom);
        for (int i = 0; i < tenants.size(); i++) {
            GroupLimits limits = tenants.get(i).limits();
            if (tenants.get(i).own()) {
                builder.group(key(i), limits);
            } else {
                builder.pattern(key(i) + "*", limits);
            }
        }
        return builder.build();
    }

    /**
     * Asks for permits and closes them in the order of the story, and compares after each step how many each group of the engine has
     * and how many wait there: then whoever was to have a permit has it, and nobody else. Steps that grant two are rare; in which
     * order they do is not seen.
     *
     * @param story who asked, who was granted a permit and who gave one back, each as a word and a number, and with an end which
     *     of its tenant's tasks it is
     * @return how many were granted
     */
    int playOnEngine(List<String> story) throws Exception {
        int[] held = new int[tenants.size()];
        int[] waiting = new int[tenants.size()];
        List<List<CompletableFuture<GroupPermit>>> asked = IntStream.range(0, tenants.size())
                .<List<CompletableFuture<GroupPermit>>>mapToObj(tenant -> new ArrayList<>())
                .toList();
        int granted = 0;
        try (GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(policy())) {
            for (int i = 0; i < story.size(); i++) {
                String[] words = story.get(i).split(" ", -1);
                int tenant = Integer.parseInt(words[1]);
                switch (words[0]) {
                    case "ask" -> {
                        waiting[tenant]++;
                        asked.get(tenant).add(executor.acquireAsync(key(tenant)).toCompletableFuture());
                    }
                    case "end" -> {
                        held[tenant]--;
                        asked.get(tenant)
                                .get(Integer.parseInt(words[2]))
                                .get(Deadline.SECONDS, TimeUnit.SECONDS)
                                .close();
                    }
                    default -> {
                        assertThat(words[0]).isEqualTo("grant");
                        waiting[tenant]--;
                        held[tenant]++;
                        granted++;
                    }
                }
                if (i + 1 == story.size() || !story.get(i + 1).startsWith("grant")) {
                    assertThat(inEngine(executor))
                            .as("%s after %s", this, story.subList(Math.max(0, i - 20), i + 1))
                            .isEqualTo(expected(held, waiting));
                }
            }
        }
        return granted;
    }

    private List<String> inEngine(GroupExecutor executor) {
        return IntStream.range(0, tenants.size())
                .mapToObj(tenant -> {
                    Optional<GroupStats> stats = executor.groupStats(key(tenant));
                    return stats.map(GroupStats::inFlight).orElse(0) + " held, "
                            + stats.map(GroupStats::queued).orElse(0) + " waiting";
                })
                .toList();
    }

    private static List<String> expected(int[] held, int[] waiting) {
        return IntStream.range(0, held.length)
                .mapToObj(tenant -> held[tenant] + " held, " + waiting[tenant] + " waiting")
                .toList();
    }

    @Override
    public String toString() {
        return "cap " + cap + ", headroom " + headroom + ", seed " + seed + (varies ? ", varied" : "") + ": " + tenants;
    }
}
