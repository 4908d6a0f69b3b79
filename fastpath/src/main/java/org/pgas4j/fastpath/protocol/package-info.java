/**
 * The two message protocols between ranks: fastpath (small, through paired chunk rings) and rendezvous (large, in
 * pieces through registered temporaries). A {@link org.pgas4j.fastpath.protocol.Port} is one rank's end of all its
 * pairs; one thread at a time owns and calls it, the rank's or a helper's.
 */
package org.pgas4j.fastpath.protocol;
