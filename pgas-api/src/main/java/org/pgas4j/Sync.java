package org.pgas4j;

/**
 * How much a collective operation on shared pointers or shared arrays orders, as the flags {@code UPC_IN_*} and
 * {@code UPC_OUT_*} of the UPC Language Specifications 1.3, section 7.3.1.1, do. Calls are compared between the ranks in every mode, so none begins
 * before all have come; with {@code out} NO, a rank does not wait for others at the end.
 *
 * @param in before the operation: NO, its data may be read and written as soon as any rank has come; MY, data with affinity
 *        to a
 *            rank as soon as that rank has; ALL, none before all have
 * @param out when the call returns: NO, others may still read and write data of this rank; MY, nobody reads or writes it
 *        any more;
 *            ALL, the whole operation is complete
 */
public record Sync(Mode in, Mode out) {

    /** How much is ordered at one end. */
    public enum Mode { NO, MY, ALL }

    /** ALL at both ends: a barrier before and after. */
    public static final Sync ALL = new Sync(Mode.ALL, Mode.ALL);
    /** MY at both ends. */
    public static final Sync MY = new Sync(Mode.MY, Mode.MY);
    /** NO at both ends: the program orders everything itself. */
    public static final Sync NO = new Sync(Mode.NO, Mode.NO);

    public Sync {
        if (in == null || out == null) {
            throw new IllegalArgumentException("sync modes: in=" + in + " out=" + out + " (expected: NO, MY or ALL)");
        }
    }
}
