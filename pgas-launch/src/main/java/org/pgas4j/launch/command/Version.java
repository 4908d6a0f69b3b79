package org.pgas4j.launch.command;

import picocli.CommandLine;

/** Version of this build and of the Java that runs it, as every command prints it for {@code --version}. */
public final class Version implements CommandLine.IVersionProvider {

    /** For picocli. */
    public Version() {
    }

    /** One line: the version in the manifest of this class's jar, or that there is no jar, and Java's version. */
    public static String text() {
        String version = Version.class.getPackage().getImplementationVersion();
        return "pgas4j " + (version == null ? "built from source" : version) + ", Java " + Runtime.version();
    }

    @Override
    public String[] getVersion() {
        return new String[] {text()};
    }
}
