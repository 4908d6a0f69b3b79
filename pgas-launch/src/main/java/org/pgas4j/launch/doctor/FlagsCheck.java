package org.pgas4j.launch.doctor;

import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The flags this JVM was started with: launchers give them, a plain {@code java} does not. */
final class FlagsCheck implements Check {

    private static final Pattern PACKAGE = Pattern.compile("--add-(opens|exports)=([^/]+)/([^=]+)=ALL-UNNAMED");

    @Override
    public String name() {
        return "JVM flags";
    }

    @Override
    public List<Verdict> run() {
        return judge(JvmFlags.needed().stream().filter(Predicate.not(FlagsCheck::isGiven)).toList());
    }

    /** By its effect: a manifest or JDK_JAVA_OPTIONS may have it too. */
    private static boolean isGiven(String flag) {
        Module own = FlagsCheck.class.getModule();
        Matcher opened = PACKAGE.matcher(flag);
        if (opened.matches()) {
            Optional<Module> module = ModuleLayer.boot().findModule(opened.group(2));
            return module.isPresent() && (opened.group(1).equals("opens") ? module.get().isOpen(opened.group(3), own)
                    : module.get().isExported(opened.group(3), own));
        }
        return flag.startsWith("--enable-native-access") ? own.isNativeAccessEnabled()
                : "allow".equals(System.getProperty("sun.misc.unsafe.memory.access"));
    }

    static List<Verdict> judge(List<String> lacking) {
        return List.of(lacking.isEmpty() ? Verdict.ok("JVM flags", "all " + JvmFlags.needed().size() + " given")
                : Verdict.warn("JVM flags", lacking.size() + " of " + JvmFlags.needed().size() + " not given",
                        "start ranks with pgasrun, or java with " + String.join(" ", lacking)));
    }
}
