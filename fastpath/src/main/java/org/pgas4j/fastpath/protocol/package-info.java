/**
 * The two message protocols between ranks: fastpath (small, through paired chunk rings) and rendezvous (large, in pieces
 * through registered temporaries). A {@link org.pgas4j.fastpath.protocol.Port} is one rank's end of all its pairs; whoever
 * calls it owns it at that moment, the rank or a helper.
 */
package org.pgas4j.fastpath.protocol;
