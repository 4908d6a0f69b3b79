package org.pgas4j.runtime;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.syntax.ArchRuleDefinition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The direction of dependency between the folders, on class files. */
@Timeout(60)
class ArchitectureTest {

    private static final int LEAST_CLASSES = 120;

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests()).importPackages("org.pgas4j");

    private static void forbid(String from, String... to) {
        ArchRule rule = ArchRuleDefinition.noClasses().that().resideInAnyPackage(from).should().dependOnClassesThat()
                .resideInAnyPackage(to);
        rule.check(CLASSES);
    }

    @Test
    void shouldSeeTheWholeHouse() {
        assertTrue(CLASSES.size() >= LEAST_CLASSES, "classes seen: " + CLASSES.size());
        for (String name : new String[] {"org.pgas4j", "org.pgas4j.device.host", "org.pgas4j.device.cuda",
            "org.pgas4j.fastpath.conduit.shm", "org.pgas4j.fastpath.protocol", "org.pgas4j.helper",
            "org.pgas4j.runtime.transfer", "org.pgas4j.testkit"}) {
            assertTrue(CLASSES.stream().anyMatch(type -> type.getPackageName().equals(name)), "no class of " + name);
        }
    }

    @Test
    void shouldLetTheApiDependOnTheJdkOnly() {
        ArchRuleDefinition.classes().that().resideInAnyPackage("org.pgas4j", "org.pgas4j.spi").should()
                .onlyDependOnClassesThat().resideInAnyPackage("java..", "org.pgas4j", "org.pgas4j.spi").check(CLASSES);
    }

    @Test
    void shouldKeepDevicesBelowFastpathAndRuntime() {
        forbid("org.pgas4j.device..", "org.pgas4j.fastpath..", "org.pgas4j.helper..", "org.pgas4j.runtime..",
                "org.pgas4j.testkit..");
    }

    @Test
    void shouldKeepFastpathBelowTheRuntime() {
        forbid("org.pgas4j.fastpath..", "org.pgas4j.helper..", "org.pgas4j.runtime..", "org.pgas4j.testkit..");
        forbid("org.pgas4j.helper..", "org.pgas4j.runtime..", "org.pgas4j.testkit..");
    }

    @Test
    void shouldKeepTheTestkitOnTheApi() {
        forbid("org.pgas4j.testkit..", "org.pgas4j.runtime..", "org.pgas4j.fastpath..", "org.pgas4j.device..");
    }

    @Test
    void shouldReachTheDriversThroughTheDeviceModuleOnly() {
        forbid("org.pgas4j.runtime..", "jcuda..", "org.bytedeco..");
        forbid("org.pgas4j.fastpath..", "jcuda..");
        forbid("org.pgas4j.helper..", "jcuda..", "org.bytedeco..");
        ArchRuleDefinition.noClasses().that().resideInAPackage("org.pgas4j.fastpath..").and()
                .resideOutsideOfPackage("org.pgas4j.fastpath.conduit.ucx").should().dependOnClassesThat()
                .resideInAPackage("org.bytedeco..").check(CLASSES);
    }

    @Test
    void shouldKeepNettyInTheBootstrapAndChronicleInTheDirectory() {
        ArchRuleDefinition.noClasses().that().resideOutsideOfPackage("org.pgas4j.runtime.bootstrap..").should()
                .dependOnClassesThat().resideInAPackage("io.netty..").check(CLASSES);
        ArchRuleDefinition.noClasses().that().resideOutsideOfPackage("org.pgas4j.runtime.directory..").should()
                .dependOnClassesThat().resideInAPackage("net.openhft..").check(CLASSES);
    }
}
