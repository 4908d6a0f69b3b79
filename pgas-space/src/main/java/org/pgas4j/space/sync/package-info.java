/** Waiting, barriers and the exchange of words between ranks, on words in the control areas of host segments. */
package org.pgas4j.space.sync;
