#!/usr/bin/env bash
# Has one tenant flood the running sample while its neighbours go on as always, and tells how each of them fared. It takes
# half a minute. Usage: flood.sh [address [clients [seconds]]]
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/find-java.sh"
if [[ ! -d $here/target/classes ]]; then
    echo "Start the sample first: ./mvnw -pl sample-app -am spring-boot:run" >&2
    exit 1
fi
exec "$java" -XX:TieredStopAtLevel=1 -cp "$here/target/classes" io.github.kobe.sample.flood.Flood \
    "${1:-http://localhost:8080}" "${2:-150}" "${3:-12}"
