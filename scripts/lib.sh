# For the other scripts: finds Java, builds what is missing, starts classes. Source it, do not run it.
#
# In a checkout, the jars of all modules and what they need are collected in target/dist-lib; in an unpacked
# distribution they are in lib/, beside a Java in jre/ if it has one. The folder itself has what ranks need; its folder
# tools has examples, studies, the testkit, and their libraries, which stay off the class path of a user's program.

pgas_root=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.." && pwd)

if compgen -G "$pgas_root/lib/pgas-runtime-*.jar" > /dev/null; then
    pgas_lib=$pgas_root/lib
else
    pgas_lib=$pgas_root/target/dist-lib
fi
pgas_class_path=$pgas_lib/*:$pgas_lib/tools/*

# Without a locale Java takes names of files for ASCII; C.UTF-8 differs from C in nothing else.
case ${LC_ALL:-} in
    C | POSIX) export LC_ALL=C.UTF-8 ;;
    '')
        case ${LC_CTYPE:-${LANG:-C}} in
            C | POSIX) export LC_CTYPE=C.UTF-8 ;;
        esac
        ;;
esac

# Needed by every JVM of pgas4j, as JvmFlags has it; the launcher adds what a node directory needs to the JVMs of ranks.
pgas_jvm_flags=(--enable-native-access=ALL-UNNAMED)

pgas_fail() {
    echo "pgas4j: $*" >&2
    exit 2
}

# Prints the version of a checkout.
pgas_version() {
    sed -n 's/.*<version>\(.*\)<\/version>.*/\1/p;T;q' "$pgas_root/pom.xml"
}

# Prints it and ends the script if the first word of its command line asks for it.
pgas_version_option() {
    if [[ ${1:-} == --version || ${1:-} == -V ]]; then
        echo "pgas4j $(pgas_version)"
        exit 0
    fi
}

# True if the Java home is 25 or newer; reads its release file, which is quicker than to start it.
is_java25() {
    local version
    [[ -x $1/bin/java && -r $1/release ]] || return 1
    version=$(sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$1/release")
    [[ -n $version ]] && ((version >= 25))
}

# Sets pgas_java to the java command of a Java 25 or newer.
find_java25() {
    local home onPath=
    [[ -z ${pgas_java:-} ]] || return 0
    if command -v java > /dev/null; then
        onPath=$(dirname "$(dirname "$(readlink -f "$(command -v java)")")")
    fi
    for home in "$pgas_root/jre" "${JAVA_HOME:-}" "$onPath" /usr/lib/jvm/*25* /usr/lib/jvm/*; do
        if [[ -n $home ]] && is_java25 "$home"; then
            pgas_java=$home/bin/java
            return 0
        fi
    done
    pgas_fail "no Java 25 or newer in JAVA_HOME, on PATH or in /usr/lib/jvm; install one or set JAVA_HOME"
}

# Runs Maven on that Java: it then compiles in its own JVM, in a quarter of the time.
run_maven() {
    find_java25
    # Maven's libraries call what Java 25 warns of.
    JAVA_HOME=${pgas_java%/bin/java} MAVEN_OPTS="--sun-misc-unsafe-memory-access=allow ${MAVEN_OPTS:-}" mvn "$@"
}

# debian_mirror CODENAME: the first mirror that apt has for the main part of a Debian.
debian_mirror() {
    local mirrors
    mirrors=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' "Codename: $1" 'Component: main' | sort -u)
    [[ -n $mirrors ]] || { echo "no mirror of $1 main in apt's sources" >&2; return 1; }
    echo "${mirrors%%$'\n'*}"
}

# Builds the jars if a source is newer than they are. Others who want the same wait.
ensure_built() {
    local stamp=$pgas_lib/.built
    [[ $pgas_lib == "$pgas_root/lib" ]] && return 0
    if ! pgas_stale "$stamp"; then
        return 0
    fi
    command -v mvn > /dev/null || pgas_fail "$pgas_lib is not up to date and there is no mvn on PATH to build it"
    mkdir -p "$pgas_lib"
    (
        flock 9
        if pgas_stale "$stamp"; then
            pgas_build "$stamp"
        fi
    ) 9> "$pgas_root/target/.build.lock" || exit 2
}

pgas_stale() {
    [[ ! -e $1 ]] || [[ -n $(find "$pgas_root" \( -name target -o -name .git \) -prune -o -type f \
        \( -path '*/src/main/*' -o -name pom.xml \) -newer "$1" -print -quit) ]]
}

pgas_build() {
    local stamp=$1 began=$pgas_root/target/.build-began tools=$pgas_lib/tools jar
    echo "pgas4j: building $pgas_lib" >&2
    touch "$began" # what changes while it builds is newer
    if [[ ! -d $tools || -e $stamp && -n $(find "$pgas_root" -name target -prune -o -name pom.xml -newer "$stamp" -print -quit) ]]; then
        rm -rf "$pgas_lib"/*.jar "$tools" # versions may have changed
    fi
    mkdir -p "$tools"
    # Modules that do not need each other side by side; each writes where it finds its libraries.
    (cd "$pgas_root" && run_maven -q -T 1C ${PGAS_MVN_ARGS:-} -Dmaven.test.skip=true package dependency:build-classpath \
        -DincludeScope=runtime -Dmdep.outputFile=target/class-path) >&2 \
        || { echo "pgas4j: the build failed; 'mvn package' in $pgas_root says more" >&2; return 2; }
    while IFS= read -r jar; do
        cp -p "$jar" "$tools/"
    done < <(
        find "$pgas_root" -maxdepth 4 -regex '.*/target/[^/]*\.jar' ! -name '*-tests.jar' ! -name '*-sources.jar' \
            ! -name '*-javadoc.jar'
        find "$pgas_root" -maxdepth 4 -path '*/target/class-path' -exec sed 's/:/\n/g' {} + | grep '\.jar$' \
            | grep -v "^$pgas_root/" | sort -u
    )
    for jar in $(tr ':' '\n' < "$pgas_root/pgas-launch/target/class-path" | sed 's,.*/,,') "$tools"/{pgas-launch,pgas-library}-*.jar; do
        mv "$tools/${jar##*/}" "$pgas_lib/"
    done
    pgas_warm
    mv "$began" "$stamp"
}

# A launcher works for a second and then waits: it compiles only what it does often, and nothing that its profile names.
pgas_launcher_flags=(-Xmx64m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:CompileThresholdScaling=10 -XX:-UsePerfData
    --enable-native-access=ALL-UNNAMED -Dio.netty.jfr.enabled=false)

# Java 25 would also put code into an AOT cache, and run it on any processor that the cache is carried to (docs/adr/0003).
pgas_aot_flags=(-XX:+UnlockDiagnosticVMOptions -XX:-AOTAdapterCaching)

# Sets pgas_aot to the folder where Java remembers the classes of a short job made of these very jars. The name must
# say so: Java 25 does not compare the class path, and would run remembered classes in place of changed ones.
pgas_find_aot() {
    pgas_aot=$pgas_lib/aot-$(stat -c '%n %s %Y' "$pgas_lib"/*.jar "$pgas_lib"/tools/*.jar | sha256sum | cut -c1-16)
}

# Fills that folder, so that JVMs start in half the time. Without it, or with PGAS_AOT=off, they work as well.
pgas_warm() {
    local new=$pgas_lib/.aot-new
    find_java25
    pgas_find_aot
    rm -rf "$new" "$pgas_lib"/aot-*
    mkdir -p "$new"
    pgas_warm_command "$pgas_class_path" "$new"
    if "${pgas_warm_up[@]}" > "$pgas_root/target/warm-up.log" 2>&1 && [[ -s $new/launcher && -s $new/rank ]]; then
        mv "$new" "$pgas_aot"
    else
        rm -rf "$new"
    fi
}

# pgas_warm_command CLASS_PATH FOLDER [OPTION...]: sets pgas_warm_up to the job that fills the folder, with options of the launcher.
pgas_warm_command() {
    pgas_warm_up=("$pgas_java" "${pgas_launcher_flags[@]}" "${pgas_aot_flags[@]}" -XX:AOTCacheOutput="$2/launcher" -cp "$1"
        org.pgas4j.launch.PgasRun "${pgas_aot_flags[@]/#/--java-opt=}" --java-opt=-XX:AOTCacheOutput="$2/rank" "${@:3}"
        --timeout 60s --device host --heap-host 1m --heap-device 1m org.pgas4j.launch.WarmUp all)
}

# pgas_cache_options FOLDER: sets pgas_cached to the options of a launcher that takes its classes from there; RankCommand has
# them for ranks.
pgas_cache_options() {
    pgas_cached=(-XX:AOTCache="$1/launcher" "${pgas_aot_flags[@]}" -XX:-AOTReplayTraining -Xlog:aot=off -Xlog:cds=off
        -Dpgas.launch.aot="$1/rank")
}

# The same for the folder of these jars, none if it is not filled.
find_cached() {
    pgas_cached=()
    pgas_find_aot
    if [[ ${PGAS_AOT:-on} != off && -d $pgas_aot ]]; then
        pgas_cache_options "$pgas_aot"
    fi
}

# Starts the launcher in place of the script.
run_launcher() {
    find_java25
    ensure_built
    find_cached
    exec "$pgas_java" ${pgas_cached[@]+"${pgas_cached[@]}"} "${pgas_launcher_flags[@]}" -cp "$pgas_class_path" \
        org.pgas4j.launch.PgasRun "$@"
}

# run_pgas MainClass args...: starts a class in one JVM, without the launcher, in place of the script.
run_pgas() {
    find_java25
    ensure_built
    exec "$pgas_java" "${pgas_jvm_flags[@]}" ${PGAS_JAVA_OPTS:-} -cp "$pgas_class_path" "$@"
}
