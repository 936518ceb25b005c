#!/usr/bin/env bash
# Has one tenant flood the running sample while its neighbours go on as always, and tells how each of them fared: with many
# requests, which takes half a minute, with long ones, which takes a minute and needs the profile "long", or with requests
# of which the partner takes 60 a minute, which takes a minute and a half.
# Usage: flood.sh [address [clients [seconds]]]
#        flood.sh --long [address [documents [seconds]]]
#        flood.sh --rate [address [clients [seconds]]]
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/find-java.sh"
if [[ ! -d $here/target/classes ]]; then
    echo "Start the sample first: ./mvnw -pl sample-app -am spring-boot:run" >&2
    exit 1
fi
flood=Flood many=150 seconds=12
if [[ ${1:-} == --long ]]; then
    flood=LongFlood many=200 seconds=6
    shift
elif [[ ${1:-} == --rate ]]; then
    flood=RateFlood many=30 seconds=90
    shift
fi
exec "$java" -XX:TieredStopAtLevel=1 -cp "$here/target/classes" "io.github.kobe.sample.flood.$flood" \
    "${1:-http://localhost:8080}" "${2:-$many}" "${3:-$seconds}"
