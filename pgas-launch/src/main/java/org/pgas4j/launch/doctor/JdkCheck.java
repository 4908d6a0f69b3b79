package org.pgas4j.launch.doctor;

import java.util.List;

/** The Java that runs this, and the system it runs on. */
final class JdkCheck implements Check {

    private static final int LEAST = 25;

    @Override
    public String name() {
        return "Java";
    }

    @Override
    public List<Verdict> run() {
        return judge(Runtime.version().feature(), System.getProperty("java.vm.name") + " " + Runtime.version(),
                System.getProperty("os.name"), System.getProperty("os.arch"));
    }

    static List<Verdict> judge(int feature, String version, String system, String architecture) {
        return List.of(
                feature >= LEAST ? Verdict.ok("Java", version)
                        : Verdict.fail("Java", version, "install JDK " + LEAST + " or newer and set JAVA_HOME to it"),
                system.equals("Linux") && architecture.equals("amd64") ? Verdict.ok("system", "Linux on x86-64")
                        : Verdict.fail("system", system + " on " + architecture, "run on Linux on x86-64"));
    }
}
