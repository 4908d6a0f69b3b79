package org.pgas4j.io;

import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;
import org.pgas4j.Rank;

/**
 * A file that all ranks have opened, as one rank has it.
 *
 * @param options of the program
 * @param begin   where file pointers begin, bytes from the file's start
 */
record OpenFile(PositionalFile file, Set<StandardOpenOption> options, long begin) {

    private static final Set<StandardOpenOption> ONCE = Set.of(StandardOpenOption.CREATE, StandardOpenOption.CREATE_NEW,
            StandardOpenOption.TRUNCATE_EXISTING);
    /** Options that the channel of a rank has not: Java deletes an open file at once on Linux, and ranks write at offsets. */
    private static final Set<StandardOpenOption> OURS = Set.of(StandardOpenOption.DELETE_ON_CLOSE, StandardOpenOption.APPEND);

    /** Collective; see {@link SharedFile#open}. */
    static OpenFile open(Rank rank, Path path, StandardOpenOption... options) {
        Set<StandardOpenOption> all = EnumSet.noneOf(StandardOpenOption.class);
        all.addAll(Arrays.asList(options));
        Agreement.sameOnAllRanks(rank, "open", path.toString(), all.toString());
        Set<StandardOpenOption> ofChannel = EnumSet.copyOf(all);
        ofChannel.removeAll(OURS);
        PositionalFile[] file = new PositionalFile[1];
        long[] end = new long[1];
        try {
            Agreement.after(rank, () -> {
                if (rank.rank() == 0) {
                    file[0] = new PositionalFile(rank, path, ofChannel);
                    end[0] = file[0].size();
                }
            });
            Agreement.after(rank, () -> {
                if (rank.rank() != 0) {
                    file[0] = new PositionalFile(rank, path, others(ofChannel));
                }
            });
        } catch (SharedFileException e) {
            if (file[0] != null) {
                file[0].close();
            }
            throw e;
        }
        long begin = all.contains(StandardOpenOption.APPEND) ? rank.collectives().broadcast(end[0], 0) : 0;
        return new OpenFile(file[0], Collections.unmodifiableSet(all), begin);
    }

    /** Options of the ranks that open a file which rank 0 has opened. */
    private static Set<StandardOpenOption> others(Set<StandardOpenOption> all) {
        Set<StandardOpenOption> rest = EnumSet.noneOf(StandardOpenOption.class);
        rest.addAll(all);
        rest.removeAll(ONCE);
        return rest;
    }
}
