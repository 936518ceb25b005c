#!/usr/bin/env bash
# Brings a fleet of twelve servers to a new version, kills the application with kill -9 on the way, starts it again, and
# checks what the servers and the events say. It takes about a minute, fails if a check does, and leaves nothing behind.
# Needs a JDK 21 or newer, and curl. SAMPLE_CLASS_PATH names compiled classes; without it the sample is built.
# SPRING_DATASOURCE_URL and its like name a database; without it an H2 is made for the occasion.
set -euo pipefail
shopt -s nullglob

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/demo.sh"
plan=plan-$(date +%H%M%S)
fleet_process=
app_process=
seen=

start_fleet() {
    local port
    port=$(free_port 19100)
    start fleet "${fleet_command[@]}" io.github.kobe.sample.fleet.Fleet "$port"
    fleet_process=$started
    fleet=http://127.0.0.1:$port
    await "the fleet starts" curl -sf "$fleet/servers"
}

start_app() {
    start app "${app_command[@]}" --spring.profiles.active=rollout --spring.main.banner-mode=off \
        "--server.port=$app_port" "--sample.rollout.fleet=$fleet" "--sample.rollout.folder=$work"
    app_process=$started
    await "the application starts" curl -sf "$app/actuator/health"
}

show_servers() {
    curl -sf "$fleet/servers" | sed 's/ *http.*//; s/^/    /'
}

# Prints what changes in the plan's table until a command succeeds.
follow() {
    local now line
    while true; do
        now=$(curl -sf "$app/rollouts/$plan" || echo "$seen")
        { grep -vxF -- "$seen" <<< "$now" || true; } | while IFS= read -r line; do
            printf '%5s s  %s\n' "$((SECONDS - began))" "$line"
        done
        seen=$now
        if "$@" > /dev/null 2>&1; then
            return
        fi
        check_time "$*"
        sleep 0.1
    done
}

was_sent_to() {
    curl -sf "$fleet/requests" | cut -f 3 | grep -qx "$1"
}

# Whether a line of the table, as it was printed last, begins so.
stands() {
    grep -qE "^$1" <<< "$seen"
}

operate() {
    curl -sf -o /dev/null -H 'Content-Type: application/json' -d "$1" "$app/actuator/rollouts/$plan" ||
        fail "refused: $1"
}

mend() {
    curl -sf -X POST "$fleet/servers/$1?OK"
}

show_initech() {
    say "All that initech-1 was sent, with key, token and what it did:"
    awk -F '\t' '$3 == "initech-1" { printf "    %-20s  %s  %s  %s\n", $4, $6, $7, $8 }' "$work/requests"
    say "All events of initech, as they were published:"
    awk -F '\t' '$2 == "initech" { printf "    %2d  %s\n", $3, $4 }' "$work/events"
}

# What the rollouts promise, said of what the servers and the listener have seen.
check_all() {
    check "vip-globex runs 41 again, all others run 42" "$work/servers" '
        { expected = /^vip-globex/ ? 41 : 42; wrong += $0 !~ ("version " expected) } END { exit !(NR == 12 && !wrong) }'
    check "initech-1 was sent its configuration twice: the same key, a higher token; it acted once" "$work/requests" '
        $3 == "initech-1" && /PUT/ { keys[$6]; tokens[++n] = $7; did[$8]++ }
        END { exit !(n == 2 && length(keys) == 1 && tokens[2] > tokens[1] && did["DONE"] == 1 && did["KNOWN"] == 1) }'
    check "acme, which was done before the kill, was not asked again" "$work/requests" '
        $2 == "acme" { n++; tokens[$7] } END { exit !(n == 4 && length(tokens) == 1) }'
    check "a retry is another attempt, with a key of its own" "$work/requests" '
        $3 == "wonka-2" && /PUT/ { keys[$6] } END { exit !(length(keys) == 2) }'
    check "no server saw a token lower than one before" "$work/requests" '
        $7 < last[$3] { wrong++ } { last[$3] = $7 } END { exit !(NR > 0 && !wrong) }'
    check "the events of each tenant, and of the plan, are numbered 1, 2, 3, without a gap" "$work/events" '
        $3 > last[$2] + 1 { wrong++ } $3 == last[$2] + 1 { last[$2]++ } END { exit !(length(last) == 7 && !wrong) }'
}

find_sample rollout-demo
limit=$((SECONDS + 150))
app_port=$(free_port 18080)
app=http://127.0.0.1:$app_port

start_fleet
say "Six tenants with two servers each; some are ill:"
show_servers
start_app

began=$SECONDS
say "The plan brings all to version 42, two tenants at a time, each in three stages:"
curl -sf -o /dev/null -X POST "$app/rollouts?plan=$plan&version=42" || fail "the plan could not be started"
follow was_sent_to initech-1

kill_now "$app_process"
say "Killed with kill -9, in the middle of initech's first stage. Started again:"
start_app
follow stands "$plan PARTIAL_FAILED"

say "Three are done. vip-globex is to go back to version 41:"
operate '{"action": "rollback", "tenant": "vip-globex"}'
follow stands 'vip-globex +ROLLED_BACK'

say "The servers of vip-umbrella and wonka are mended; what failed is tried again, from the stage that failed:"
mend vip-umbrella-2
mend wonka-2
operate '{"action": "retry", "fromCheckpoint": true}'
follow stands 'wonka +COMPLETED'
follow stands 'vip-umbrella +COMPLETED'

say "What the servers run now:"
show_servers

curl -sf "$fleet/requests" > "$work/requests"
curl -sf "$fleet/servers" > "$work/servers"
show_initech

say "Is it as promised?"
check_all
[[ -z $failed ]] || fail "a check failed"
