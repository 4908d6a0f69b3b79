package org.pgas4j.collective;

import org.pgas4j.StreamForm;
import org.pgas4j.collective.forms.FormTable;
import org.pgas4j.collective.forms.StreamCall;

/**
 * Choice of the forms of a team's operations on streams. Immutable.
 *
 * @param forced form for all sizes; AUTO for the table's
 * @param table  sizes of forms
 * @param reason of words of host memory, or null
 */
record StreamForms(StreamForm forced, FormTable table, String reason) {

    /** The form for some bytes of an operation where members have kernels that meet. */
    StreamForm form(StreamCall call, long bytes) {
        return forced == StreamForm.AUTO ? table.form(call, bytes) : forced;
    }

    String describe() {
        if (reason != null) {
            return "form WORDS for all sizes: " + reason;
        }
        return forced == StreamForm.AUTO ? table.describe() : "form " + forced + " for all sizes, as the program asks";
    }
}
