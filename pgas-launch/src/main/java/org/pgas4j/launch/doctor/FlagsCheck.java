package org.pgas4j.launch.doctor;

import java.util.List;

/** The flags this JVM was started with: launchers give them, a plain {@code java} does not. */
final class FlagsCheck implements Check {

    @Override
    public String name() {
        return "JVM flags";
    }

    @Override
    public List<Verdict> run() {
        return judge(FlagsCheck.class.getModule().isNativeAccessEnabled());
    }

    static List<Verdict> judge(boolean nativeAccess) {
        return List.of(nativeAccess ? Verdict.ok("JVM flags", JvmFlags.NATIVE_ACCESS + " is given")
                : Verdict.warn("JVM flags", JvmFlags.NATIVE_ACCESS + " is not given",
                        "start ranks with pgasrun, or java with " + JvmFlags.NATIVE_ACCESS));
    }
}
