package org.pgas4j.bootstrap.trace;

import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.pgas4j.os.trace.TraceTrack;

/** Names of tracks for people, and their order: ranks, their streams, blocks, helpers, others. */
final class TrackNames {

    /**
     * Name of a track.
     *
     * @param order by which tracks of a process are sorted
     */
    record Name(String text, int order) {
    }

    private static final Pattern RANK = Pattern.compile("rank-(\\d+)");
    private static final Pattern HELPER = Pattern.compile("pgas-helper-(\\d+)");
    private static final Pattern BLOCK = Pattern.compile("pgas-block-(\\d+) of .*");
    private static final int OF_A_RANK = 1 << 12;
    private static final int FIRST_BLOCK = 64;
    private static final int LAST = Integer.MAX_VALUE;

    private final Map<String, Integer> seen = new HashMap<>();

    /** Name of the next track of a part. */
    Name next(TraceTrack track) {
        Name plain = plain(track);
        int before = seen.merge(plain.text, 1, Integer::sum);
        return before == 1 ? plain : new Name(plain.text + " #" + before, plain.order);
    }

    private static Name plain(TraceTrack track) {
        Matcher rank = RANK.matcher(track.name());
        if (rank.matches()) {
            return new Name("rank " + rank.group(1), order(Integer.parseInt(rank.group(1)), 0));
        }
        Matcher helper = HELPER.matcher(track.name());
        if (helper.matches()) {
            return new Name("helper " + helper.group(1), LAST - OF_A_RANK + Integer.parseInt(helper.group(1)));
        }
        Matcher block = BLOCK.matcher(track.name());
        if (block.matches()) {
            int number = Integer.parseInt(block.group(1));
            return new Name("block " + number + ofRank(track), order(track.rank(), FIRST_BLOCK + number));
        }
        if (track.name().startsWith("pgas-stream-")) {
            return new Name("stream" + ofRank(track), order(track.rank(), 1));
        }
        return new Name(track.name(), LAST);
    }

    private static String ofRank(TraceTrack track) {
        return track.rank() < 0 ? "" : " of rank " + track.rank();
    }

    private static int order(int rank, int place) {
        return (int) Math.min(LAST - 2L * OF_A_RANK, (long) Math.max(0, rank) * OF_A_RANK + Math.min(place, OF_A_RANK - 1));
    }
}
