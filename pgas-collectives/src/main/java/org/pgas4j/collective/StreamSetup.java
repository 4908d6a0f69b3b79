package org.pgas4j.collective;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.function.LongUnaryOperator;
import org.pgas4j.StreamForm;
import org.pgas4j.collective.forms.FormProfile;
import org.pgas4j.collective.forms.FormTable;
import org.pgas4j.device.Accelerator;

/**
 * Decides, by the same facts on all members of a team, whether their devices meet by kernels, and which sizes take which
 * form. Used by the rank's thread.
 */
public final class StreamSetup {

    /** Numbers that members tell each other: a table, 1 if a profile has it, and blocks of direct kernels. */
    public static final int TABLE_WORDS = FormTable.SIZES + 2;

    private static final int MIN_BLOCKS = 8;
    private static final System.Logger LOG = System.getLogger("pgas.collective");

    private final Accelerator accelerator;
    private String profiles = "none";
    private int directBlocks = DeviceArea.MAX_BLOCKS;
    private boolean explains;

    StreamSetup(Accelerator accelerator) {
        this.accelerator = accelerator;
    }

    /**
     * Result of a decision.
     *
     * @param forms  for each size
     * @param area   offset of the kernels' memory in every member's device heap
     * @param blocks that kernels may have; 0 if members meet by words
     * @param directBlocks that kernels of the direct form may have
     * @param pushing blocks for which the area has memory that members push to
     */
    public record Agreed(StreamForms forms, long area, int blocks, int directBlocks, int pushing) {
    }

    /**
     * Sets what the job's settings say.
     *
     * @param directory of profiles: a path, {@code auto} or {@code none}
     * @param blocks    that kernels of the direct form may have
     * @param explain   the first member of a team prints the forms it takes
     */
    public void settings(String directory, int blocks, boolean explain) {
        profiles = directory;
        directBlocks = blocks;
        explains = explain;
    }

    /** True if the first member of a team prints the forms it takes. */
    public boolean explains() {
        return explains;
    }

    /** One bit for the device of this rank. */
    public long deviceBit() {
        return 1L << Math.min(accelerator.ordinal(), Long.SIZE - 1);
    }

    /** Blocks of kernels that this rank's device holds at once. */
    public long mostBlocks() {
        return isHost() ? 1 : Math.min(DeviceArea.MAX_BLOCKS, accelerator.multiprocessors());
    }

    private boolean isHost() {
        return accelerator.backend().equals("host");
    }

    /**
     * The reason why members meet by words, or null.
     *
     * @param devices       the {@linkplain #deviceBit bits} of all members
     * @param sharesProcess some members are threads of one JVM
     */
    public String reasonForWords(StreamForm form, int members, long devices, boolean sharesProcess) {
        if (form == StreamForm.WORDS) {
            return "the program asks for it";
        }
        if (members < 2 || members > DeviceArea.MAX_MEMBERS) {
            return "the team has " + members + " members (kernels that meet: 2 to " + DeviceArea.MAX_MEMBERS + ")";
        }
        if (isHost()) {
            return form == StreamForm.AUTO ? "on the host device streams meet at once by words" : null;
        }
        if (sharesProcess) {
            // The driver loads a kernel under a lock of the process while another one waits for the member that the lock holds up.
            return "members are threads of one JVM, whose driver may hold up the launch that another one's kernel waits for;"
                    + " start a JVM for each GPU (pgasrun --processes)";
        }
        return Long.bitCount(devices) == members ? null
                : "the " + members + " members have " + Long.bitCount(devices)
                        + " devices; their kernels could wait for each other for ever";
    }

    /** The table of this rank's machine for others. */
    public long[] table(int members) {
        FormTable kept = profiles.equals("none") ? null : FormProfile.read(profile(members));
        long[] words = Arrays.copyOf((kept == null ? FormTable.builtIn(members) : kept).limits(), TABLE_WORDS);
        words[FormTable.SIZES] = kept == null ? 0 : 1;
        words[FormTable.SIZES + 1] = directBlocks;
        return words;
    }

    private Path profile(int members) {
        return FormProfile.file(profiles, accelerator.name(), members);
    }

    /** Agreement on words. */
    public Agreed byWords(StreamForm form, int members, boolean warns, String reason) {
        if (form != StreamForm.AUTO && form != StreamForm.WORDS) {
            throw new UnsupportedOperationException("onStreams(" + form + "): " + reason);
        }
        if (warns && form == StreamForm.AUTO && members > 1 && !isHost()) {
            LOG.log(System.Logger.Level.WARNING, "collective operations on streams of " + members
                    + " members take a form that is slower by 10 us and more, words of host memory: " + reason);
        }
        return new Agreed(new StreamForms(StreamForm.WORDS, FormTable.builtIn(Math.max(2, members)), reason), 0, 0, 0, 0);
    }

    /**
     * Agreement on kernels.
     *
     * @param table    that of the first member
     * @param blocks   the least of the members' {@link #mostBlocks}
     * @param allocate returns the offset of so many bytes in every member's device heap, or -1 if there is no room
     */
    public Agreed byKernels(StreamForm form, int members, boolean warns, long[] table, long blocks, LongUnaryOperator allocate) {
        String origin = table[FormTable.SIZES] == 0
                ? "built-in sizes; scripts/bench tune -n " + members + " measures this device's"
                : "profile " + profile(members);
        FormTable forms = new FormTable(Arrays.copyOf(table, FormTable.SIZES), origin);
        int direct = (int) table[FormTable.SIZES + 1];
        for (long held = blocks; held >= Math.min(MIN_BLOCKS, blocks); held /= 2) {
            int pushing = members > 2 ? (int) Math.min(held, direct + direct / 2) : 0;
            long area = allocate.applyAsLong(DeviceArea.bytes(members, (int) held, pushing) + DeviceArea.ALIGNMENT);
            while (area < 0 && pushing > 0) {
                pushing = pushing > direct ? direct : 0;
                area = allocate.applyAsLong(DeviceArea.bytes(members, (int) held, pushing) + DeviceArea.ALIGNMENT);
            }
            if (area >= 0) {
                long aligned = Math.ceilDiv(area, (long) DeviceArea.ALIGNMENT) * DeviceArea.ALIGNMENT;
                return new Agreed(new StreamForms(form, forms, null), aligned, (int) held, direct, pushing);
            }
        }
        return byWords(form, members, warns, "the shared device heap has no room for "
                + DeviceArea.bytes(members, (int) Math.min(MIN_BLOCKS, blocks), 0) + " bytes of each member (pgas.heap.device)");
    }
}
