package org.pgas4j.runtime;

import java.util.List;

/** What the runtime needs of every JVM that has ranks; pgas.jvm.flags in pom.xml and scripts/lib.sh say the same. */
public final class JvmFlags {

    /** As one would type them. */
    public static final List<String> NEEDED = List.of(
            "--enable-native-access=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow",
            "--add-opens=java.base/java.lang=ALL-UNNAMED",
            "--add-opens=java.base/java.lang.reflect=ALL-UNNAMED",
            "--add-exports=java.base/sun.nio.ch=ALL-UNNAMED",
            "--add-exports=java.base/jdk.internal.ref=ALL-UNNAMED",
            "--add-exports=jdk.compiler/com.sun.tools.javac.file=ALL-UNNAMED");

    private JvmFlags() {
    }
}
