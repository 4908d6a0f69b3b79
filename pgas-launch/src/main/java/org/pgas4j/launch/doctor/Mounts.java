package org.pgas4j.launch.doctor;

import java.nio.file.Path;
import java.util.Set;

/** The text of /proc/mounts. */
final class Mounts {

    private Mounts() {
    }

    /** Options of the mount that {@code path}, absolute and without links, is on; empty if there is none. */
    static Set<String> optionsOf(Path path, String text) {
        Path best = null;
        Set<String> options = Set.of();
        for (String line : text.lines().toList()) {
            String[] words = line.split(" ");
            if (words.length < 4) {
                continue;
            }
            Path point = Path.of(words[1].replace("\\040", " ").replace("\\011", "\t").replace("\\134", "\\"));
            // the later of two mounts on one point hides the other
            if (path.startsWith(point) && (best == null || point.getNameCount() >= best.getNameCount())) {
                best = point;
                options = Set.of(words[3].split(",(?=[a-z])"));
            }
        }
        return options;
    }
}
