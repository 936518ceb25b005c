# Sourced by the scripts beside it that start processes: starts, awaits and ends them, and checks what they have done.
. "$here/find-java.sh"
work=$(mktemp -d)
limit=
started=
failed=
declare -A processes=()

fail() {
    echo "$(basename "$0"): $*" >&2
    local log
    for log in "$work"/*.log; do
        echo "The end of $(basename "$log"):" >&2
        tail -n 30 "$log" >&2
    done
    exit 1
}

leave() {
    local process
    for process in "${!processes[@]}"; do
        kill_now "$process"
    done
    rm -rf "$work"
}
trap leave EXIT
trap 'exit 130' INT TERM

say() {
    printf '\n%s\n' "$*"
}

# Starts a process, whose number is in "started"; what it says goes into a log of that name.
start() {
    local name=$1
    shift
    "$@" >> "$work/$name.log" 2>&1 &
    started=$!
    processes[$started]=$name
}

kill_now() {
    unset "processes[$1]"
    kill -9 "$1" 2> /dev/null || true
    wait "$1" 2> /dev/null || true
}

# Fails when all has taken too long, or a process has ended.
check_time() {
    local process
    [[ $SECONDS -lt $limit ]] || fail "not in time: $1"
    for process in "${!processes[@]}"; do
        kill -0 "$process" 2> /dev/null || fail "${processes[$process]} has ended"
    done
}

await() {
    local what=$1
    shift
    until "$@" > /dev/null 2>&1; do
        check_time "$what"
        sleep 0.1
    done
}

# The first from that port on that nobody listens on.
free_port() {
    local port=$1
    while (echo > "/dev/tcp/127.0.0.1/$port") 2> /dev/null; do
        port=$((port + 1))
    done
    echo "$port"
}

# Says how to start the sample and its other programs. Jars have the time of the release, so a file of its own says when
# they were built.
find_sample() {
    local built=$here/target/$1.built jars
    if [[ -n ${SAMPLE_CLASS_PATH:-} ]]; then
        app_command=("$java" -XX:TieredStopAtLevel=1 -cp "$SAMPLE_CLASS_PATH" io.github.kobe.sample.SampleApplication)
        fleet_command=("$java" -cp "$SAMPLE_CLASS_PATH")
        return
    fi
    if [[ ! -e $built || -n $(find "$here"/../*/src/main -newer "$built" -type f -print -quit) ]]; then
        echo "Building the sample; the first time takes some minutes"
        (cd "$here/.." && ./mvnw -B -q -pl sample-app -am package -DskipTests) || fail "the build failed"
        touch "$built"
    fi
    jars=("$here"/target/sample-app-*.jar)
    app_command=("$java" -XX:TieredStopAtLevel=1 -jar "${jars[0]}")
    fleet_command=("$java" -cp "$here/target/classes")
}

# Says whether an expression of awk holds for a file, which it reads with tabs.
check() {
    local what=$1 file=$2 program=$3
    if awk -F '\t' "$program" "$file"; then
        echo "  yes  $what"
    else
        echo "  NO   $what"
        failed=yes
    fi
}
