#!/usr/bin/env bash
# Starts Redis and three instances of the sample that share a limit, floods one tenant through all of them, kills an instance,
# takes Redis away and gives it back, and prints each second what the partner sees of that tenant, by its own count. It takes
# about a minute and a half, fails if the partner ever saw more than the limit, and leaves nothing behind.
# Needs a JDK 21 or newer, curl, and redis-server 7.0 or newer (on Debian: apt-get install redis-server).
# SAMPLE_CLASS_PATH names compiled classes; without it the sample is built.
set -euo pipefail
shopt -s nullglob

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/demo.sh"

# As in application-cluster.yml.
most=6
tenant=acme
apps=()
app_processes=()
floods=()

command -v redis-server > /dev/null || fail "there is no redis-server; install it (on Debian: apt-get install redis-server)"

start_redis() {
    start redis redis-server --port "$redis_port" --bind 127.0.0.1 --save '' --appendonly no --dir "$work"
    redis_process=$started
}

start_partner() {
    local port
    port=$(free_port 18180)
    start partner "${app_command[@]}" --spring.main.banner-mode=off "--server.port=$port" "--sample.partner.port=$partner_port"
    partner=http://127.0.0.1:$port
    await "the partner starts" curl -sf "$partner/actuator/health"
}

start_app() {
    local number=$1 port
    port=$(free_port $((18180 + number)))
    start "instance-$number" "${app_command[@]}" --spring.profiles.active=cluster --spring.main.banner-mode=off \
        "--server.port=$port" "--sample.partner.address=http://127.0.0.1:$partner_port" \
        "--group-concurrency.redis.uri=redis://127.0.0.1:$redis_port" "--group-concurrency.cluster.node-name=instance-$number"
    app_processes[number]=$started
    apps[number]=http://127.0.0.1:$port
}

# Asks for reports of the tenant without end, twelve at a time.
flood() {
    local app=$1
    while true; do
        curl -s -Z --parallel-immediate --parallel-max 12 --no-progress-meter -o /dev/null -X POST \
            "$app/tenants/$tenant/reports?n=[1-60]" 2> /dev/null || sleep 0.2
    done
}

# The number behind the first of such a name.
number() {
    grep -o "\"$1\":[0-9]*" | head -n 1 | cut -d : -f 2
}

at_partner() {
    curl -sf "$partner/partner/traffic" | grep -o "\"$tenant\":{[^}]*}" || echo '{"now":0,"peak":0,"served":0}'
}

state_of() {
    curl -sf -m 2 "$1/actuator/groupexecutor?limit=1" | grep -o '"state":"[A-Z]*"' | head -n 1 | cut -d '"' -f 4 || echo gone
}

leased_by() {
    curl -sf -m 2 "$1/actuator/groupexecutor/tenant:$tenant" | number leased || echo 0
}

# Prints a line a second, for so many seconds.
watch() {
    local until=$((SECONDS + $1)) app seen line
    while [[ $SECONDS -lt $until ]]; do
        seen=$(at_partner)
        line=$(printf '%5s s   %3s now, %3s at most, %5s served  ' "$((SECONDS - began))" "$(number now <<< "$seen")" \
            "$(number peak <<< "$seen")" "$(number served <<< "$seen")")
        for app in "${apps[@]}"; do
            line+=$(printf '  %s %-9s' "$(leased_by "$app")" "$(state_of "$app")")
        done
        echo "$line"
        sleep 1
    done
}

served() {
    at_partner | number served
}

serves_again() {
    [[ $(served) -gt $before ]]
}

is_ready() {
    [[ $(state_of "$1") == CONNECTED ]]
}

find_sample cluster-demo
limit=$((SECONDS + 240))
redis_port=$(free_port 16379)
partner_port=$(free_port 18280)

start_redis
start_partner
say "Redis, a partner, and three instances, which wait for one lease of 5 s, since Redis has just begun:"
for i in 1 2 3; do
    start_app "$i"
done
for app in "${apps[@]}"; do
    await "an instance starts" curl -sf "$app/actuator/health"
    await "it shares" is_ready "$app"
done

began=$SECONDS
say "36 clients of $tenant flood them. All three together may have $most reports of it in flight, each of them at most 4."
say "           what the partner sees of $tenant              what each instance has leased"
for app in "${apps[@]}"; do
    flood "$app" &
    floods+=("$!")
    processes[$!]=flood
done
watch 12

say "Instance 3 is killed with kill -9. What it had is in use elsewhere within a lease and some:"
kill_now "${app_processes[3]}"
kill_now "${floods[2]}"
unset 'apps[3]'
watch 12

say "Redis is killed. What is leased counts for 3.7 s of the lease of 5 s; after that nothing starts:"
kill_now "$redis_process"
watch 12
before=$(served)
watch 2
stopped=$(served)
echo "$before	$stopped" > "$work/stopped"

say "Redis is back, empty. It grants nothing for one lease, until it knows who has what:"
start_redis
before=$stopped
watch 10
await "the partner is asked again" serves_again
watch 4

for flood in "${floods[@]}"; do
    kill_now "$flood"
done
at_partner > "$work/seen"
printf '%s\t%s\n' "$(number peak < "$work/seen")" "$(number served < "$work/seen")" > "$work/counts"
say "Is it as promised?"
check "the partner never saw more than $most requests of $tenant at once, and saw as many" "$work/counts" "\$1 != $most { exit 1 }"
check "without Redis nothing started" "$work/stopped" '$1 != $2 { exit 1 }'
[[ -z $failed ]] || fail "a check failed"
