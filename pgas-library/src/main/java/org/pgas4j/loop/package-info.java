/** Loops whose iterations are divided among the ranks by affinity, as UPC's {@code upc_forall}, and among threads of a rank. */
package org.pgas4j.loop;
