package org.pgas4j.launch.doctor;

import java.util.ArrayList;
import java.util.List;
import org.pgas4j.bootstrap.node.NodeDirectoryProvider;

/** Options that the JVMs of ranks are started with. */
public final class JvmFlags {

    /** Needed by every rank; scripts/lib.sh has the same for JVMs that it starts itself. */
    public static final String NATIVE_ACCESS = "--enable-native-access=ALL-UNNAMED";

    private JvmFlags() {
    }

    /** All, as one would type them: {@link #NATIVE_ACCESS}, and those of the node directory if one is on the class path. */
    public static List<String> needed() {
        List<String> flags = new ArrayList<>(List.of(NATIVE_ACCESS));
        NodeDirectoryProvider.find().ifPresent(provider -> flags.addAll(provider.jvmFlags()));
        return flags;
    }
}
