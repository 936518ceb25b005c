# Sourced by the scripts beside it: sets "java" to one that is 21 or newer, from JAVA_HOME, PATH, or where JDKs usually are.
java=
for candidate in "${JAVA_HOME:-/nowhere}/bin/java" "$(command -v java || true)" /usr/lib/jvm/*/bin/java \
    ~/.sdkman/candidates/java/*/bin/java ~/.jdks/*/bin/java /Library/Java/JavaVirtualMachines/*/Contents/Home/bin/java; do
    if [[ -x $candidate ]]; then
        version=$("$candidate" -version 2>&1 | sed -n 's/.* version "\([0-9]*\).*/\1/p')
        if [[ $version -ge 21 ]]; then
            java=$candidate
            break
        fi
    fi
done
if [[ -z $java ]]; then
    echo "No JDK 21 or newer found: set JAVA_HOME to one" >&2
    exit 1
fi
