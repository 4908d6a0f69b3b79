package org.pgas4j.launch.kernels;

import java.io.IOException;
import java.io.PrintWriter;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.pgas4j.ExitCode;
import org.pgas4j.KernelRefusedException;
import org.pgas4j.kernels.KernelScan;
import org.pgas4j.kernels.ScannedKernel;
import org.pgas4j.launch.command.Version;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code pgas kernels}. */
@Command(name = "kernels", mixinStandardHelpOptions = true, versionProvider = Version.class,
        sortOptions = false, usageHelpWidth = 80,
        description = "Translates and compiles all kernels that classes have, as a GPU would get them, without running the program.",
        footer = {"", "Exit status: 0, 1 if a kernel is refused or does not compile, 2 if a class is missing."})
public final class KernelsCommand implements Callable<Integer> {

    @Parameters(paramLabel = "CLASS", arity = "1..*", description = "Classes, with those that are nested in them.")
    private List<String> classes;

    @Option(names = {"-cp", "--class-path"}, paramLabel = "PATH", defaultValue = "",
            description = "Jars and folders of the program, separated by colons.")
    private String classPath;

    @Option(names = "--arch", paramLabel = "SM", defaultValue = "sm_90", description = "Target (default: ${DEFAULT-VALUE}).")
    private String architecture;

    @Option(names = "--compiler", paramLabel = "NAME",
            description = "One of nvrtc, nvcc, gpp and none; by default the first that is there.")
    private CompilerChoice compiler;

    @Option(names = "--print", description = "Print the C++ of each kernel.")
    private boolean print;

    @Option(names = "--json", description = "An object a line: verdict, file, line, kernel, form, message.")
    private boolean json;

    @Spec
    private CommandSpec spec;

    /** For picocli. */
    public KernelsCommand() {
    }

    @Override
    public Integer call() throws IOException {
        CompilerChoice used = compiler == null ? CompilerChoice.best() : compiler;
        PrintWriter out = spec.commandLine().getOut();
        int all = 0;
        int bad = 0;
        try (URLClassLoader loader = new URLClassLoader(paths(), getClass().getClassLoader())) {
            for (String name : classes) {
                for (ScannedKernel kernel : scan(name, loader)) {
                    KernelLine line = new KernelLine(kernel, used.check(kernel, architecture));
                    out.println(json ? line.json() : line.text());
                    if (print && kernel.cuda() != null) {
                        out.println(kernel.cuda());
                    }
                    out.flush(); // the next one may take long
                    all++;
                    bad += line.isGood() ? 0 : 1;
                }
            }
        }
        if (!json) {
            out.println(all + " kernels, " + bad + " of them bad, by " + used.shown());
        }
        return (bad == 0 ? ExitCode.DONE : ExitCode.PROGRAM).number();
    }

    private List<ScannedKernel> scan(String name, ClassLoader loader) {
        try {
            loader.loadClass(name);
        } catch (ClassNotFoundException | LinkageError e) {
            throw new CommandLine.ParameterException(spec.commandLine(), "pgas kernels: no class " + name
                    + "; give its jar or folder by --class-path");
        }
        try {
            return KernelScan.of(name, loader);
        } catch (KernelRefusedException e) {
            throw new CommandLine.ParameterException(spec.commandLine(), "pgas kernels: " + e.getMessage());
        }
    }

    private URL[] paths() throws MalformedURLException {
        String[] parts = classPath.isEmpty() ? new String[0] : classPath.split(":");
        URL[] urls = new URL[parts.length];
        for (int i = 0; i < parts.length; i++) {
            urls[i] = Path.of(parts[i]).toUri().toURL();
        }
        return urls;
    }
}
