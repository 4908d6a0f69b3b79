package org.pgas4j.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.syntax.ArchRuleDefinition;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Direction of dependency between all modules, and no cycle between packages, checked on class files. */
@Timeout(120)
class ArchitectureTest {

    private static final Path ROOT = Path.of("").toAbsolutePath().getParent();

    private static final String[] PRODUCT = {"org.pgas4j", "org.pgas4j.kernel", "org.pgas4j.kernels..", "org.pgas4j.os..",
        "org.pgas4j.device..", "org.pgas4j.fastpath..", "org.pgas4j.helper..", "org.pgas4j.bootstrap..", "org.pgas4j.space..",
        "org.pgas4j.kernel.runtime..", "org.pgas4j.collective..", "org.pgas4j.runtime..", "org.pgas4j.directory..",
        "org.pgas4j.launch..", "org.pgas4j.array..", "org.pgas4j.clock..", "org.pgas4j.io..", "org.pgas4j.task.."};

    /** Packages of each module and those of this project that they may depend on, besides themselves. */
    private static final Map<String, List<String>> MAY_USE = Map.ofEntries(
            Map.entry("org.pgas4j", List.of("org.pgas4j.kernel")),
            Map.entry("org.pgas4j.kernel", List.of()),
            Map.entry("org.pgas4j.kernels..", List.of("org.pgas4j", "org.pgas4j.kernel")),
            Map.entry("org.pgas4j.os..", List.of()),
            Map.entry("org.pgas4j.device..", List.of("org.pgas4j", "org.pgas4j.os..")),
            Map.entry("org.pgas4j.fastpath..", List.of("org.pgas4j", "org.pgas4j.os..", "org.pgas4j.device..")),
            Map.entry("org.pgas4j.helper..", List.of("org.pgas4j", "org.pgas4j.os..", "org.pgas4j.device..",
                    "org.pgas4j.fastpath..")),
            Map.entry("org.pgas4j.bootstrap..", List.of("org.pgas4j", "org.pgas4j.os..")),
            Map.entry("org.pgas4j.space..", List.of("org.pgas4j", "org.pgas4j.os..", "org.pgas4j.device..",
                    "org.pgas4j.fastpath..", "org.pgas4j.helper..", "org.pgas4j.bootstrap..")),
            Map.entry("org.pgas4j.kernel.runtime..", List.of("org.pgas4j", "org.pgas4j.kernel", "org.pgas4j.kernels..",
                    "org.pgas4j.device..", "org.pgas4j.fastpath..", "org.pgas4j.bootstrap..", "org.pgas4j.space..")),
            Map.entry("org.pgas4j.collective..", List.of("org.pgas4j", "org.pgas4j.os..", "org.pgas4j.device..",
                    "org.pgas4j.fastpath..", "org.pgas4j.helper..", "org.pgas4j.bootstrap..", "org.pgas4j.space..")),
            Map.entry("org.pgas4j.runtime..", List.of("org.pgas4j", "org.pgas4j.os..", "org.pgas4j.device..",
                    "org.pgas4j.fastpath..", "org.pgas4j.helper..", "org.pgas4j.bootstrap..", "org.pgas4j.space..", "org.pgas4j.kernel",
                    "org.pgas4j.kernels..", "org.pgas4j.kernel.runtime..", "org.pgas4j.collective..")),
            Map.entry("org.pgas4j.directory..", List.of("org.pgas4j", "org.pgas4j.bootstrap..")),
            Map.entry("org.pgas4j.launch..", List.of("org.pgas4j", "org.pgas4j.os..", "org.pgas4j.device..",
                    "org.pgas4j.fastpath..", "org.pgas4j.bootstrap..", "org.pgas4j.space..", "org.pgas4j.runtime..",
                    "org.pgas4j.kernel", "org.pgas4j.kernels..")),
            Map.entry("org.pgas4j.array..", List.of("org.pgas4j", "org.pgas4j.kernel")),
            Map.entry("org.pgas4j.clock..", List.of("org.pgas4j", "org.pgas4j.array..")),
            Map.entry("org.pgas4j.io..", List.of("org.pgas4j", "org.pgas4j.array..")),
            Map.entry("org.pgas4j.task..", List.of("org.pgas4j", "org.pgas4j.array..")),
            Map.entry("org.pgas4j.testkit..", List.of("org.pgas4j", "org.pgas4j.kernel")),
            Map.entry("org.pgas4j.examples..", List.of("org.pgas4j", "org.pgas4j.kernel", "org.pgas4j.array..", "org.pgas4j.clock..",
                    "org.pgas4j.io..", "org.pgas4j.task..", "org.pgas4j.launch.command..")));

    /** Libraries and the only packages that may use them. */
    private static final Map<String, String[]> ONLY_IN = Map.of(
            "io.netty..", new String[] {"org.pgas4j.bootstrap"},
            "net.openhft..", new String[] {"org.pgas4j.directory"},
            "jcuda..", new String[] {"org.pgas4j.device..", "org.pgas4j.bench.."},
            "org.bytedeco..", new String[] {"org.pgas4j.device..", "org.pgas4j.fastpath.conduit.ucx..", "org.pgas4j.bench.."});

    /** Main classes of the modules that this one depends on: the build has made them before. */
    private static final JavaClasses CLASSES = new ClassFileImporter().withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("org.pgas4j");

    private static final Pattern PACKAGE = Pattern.compile("^package ([\\w.]+);", Pattern.MULTILINE);

    @Test
    void shouldSeeEveryClassOfTheTree() throws IOException {
        Set<String> sources = new TreeSet<>();
        try (Stream<Path> files = Files.walk(ROOT)) {
            for (Path file : files.filter(ArchitectureTest::isMainSource).toList()) {
                Matcher name = PACKAGE.matcher(Files.readString(file));
                assertTrue(name.find(), "no package in " + file);
                sources.add(name.group(1) + "." + file.getFileName().toString().replace(".java", ""));
            }
        }

        Set<String> seen = CLASSES.stream().map(JavaClass::getName).collect(Collectors.toSet());

        assertTrue(sources.size() > 100, "sources in " + ROOT + ": " + sources.size());
        assertEquals(Set.of(), sources.stream().filter(name -> !seen.contains(name)).collect(Collectors.toSet()),
                "classes of the tree that this test does not see: their modules are no dependencies of this one");
    }

    private static boolean isMainSource(Path file) {
        String path = ROOT.relativize(file).toString();
        return path.endsWith(".java") && path.contains("src/main/java/") && !path.contains("target/")
                && !path.endsWith("-info.java");
    }

    @Test
    void shouldDependOnModulesBelowOnly() {
        List<String> all = Stream.concat(Stream.of(PRODUCT), Stream.of("org.pgas4j.testkit..", "org.pgas4j.bench..",
                "org.pgas4j.examples..")).toList();
        for (Map.Entry<String, List<String>> module : MAY_USE.entrySet()) {
            List<String> forbidden = new ArrayList<>(all);
            forbidden.remove(module.getKey());
            forbidden.removeAll(module.getValue());
            module.getValue().stream().filter(allowed -> !all.contains(allowed)).forEach(allowed ->
                    forbidden.removeIf(other -> allowed.startsWith(other.replace("..", "."))));
            ArchRuleDefinition.noClasses().that().resideInAPackage(module.getKey()).should().dependOnClassesThat()
                    .resideInAnyPackage(forbidden.toArray(String[]::new)).check(CLASSES);
        }
    }

    @Test
    void shouldHaveNoCycleBetweenPackages() {
        SlicesRuleDefinition.slices().assignedFrom(new SliceAssignment() {
            @Override
            public SliceIdentifier getIdentifierOf(JavaClass type) {
                return SliceIdentifier.of(type.getPackageName());
            }

            @Override
            public String getDescription() {
                return "packages";
            }
        }).should().beFreeOfCycles().check(CLASSES);
    }

    @Test
    void shouldLetTheApiAndTheOsModuleDependOnTheJdkOnly() {
        for (String[] packages : new String[][] {{"org.pgas4j", "org.pgas4j.kernel"}, {"org.pgas4j.os.."}}) {
            String[] allowed = Stream.concat(Stream.of("java.."), Stream.of(packages)).toArray(String[]::new);
            ArchRuleDefinition.classes().that().resideInAnyPackage(packages).should()
                    .onlyDependOnClassesThat().resideInAnyPackage(allowed).check(CLASSES);
        }
    }

    @Test
    void shouldKeepEachLibraryWhereItBelongs() {
        ONLY_IN.forEach((library, packages) -> ArchRuleDefinition.noClasses().that().resideOutsideOfPackages(packages)
                .should().dependOnClassesThat().resideInAPackage(library).check(CLASSES));
    }

    /** Main lines of each module's folder; no module may hold more than a quarter of them. */
    @Test
    void shouldHaveNoModuleAboveAQuarter() throws IOException {
        Map<String, Long> lines = new TreeMap<>();
        try (Stream<Path> files = Files.walk(ROOT)) {
            for (Path file : files.filter(ArchitectureTest::isMainSource).toList()) {
                String path = ROOT.relativize(file).toString();
                try (Stream<String> text = Files.lines(file)) {
                    lines.merge(path.substring(0, path.indexOf("/src/main/")), text.count(), Long::sum);
                }
            }
        }
        long all = lines.values().stream().mapToLong(Long::longValue).sum();

        lines.forEach((module, count) -> assertTrue(count <= all / 4, module + " has " + count + " of " + all + " main lines"));
    }
}
