/**
 * Pack, send, interior, receive, unpack: the loop of a stencil on a box that exchanges two faces, started by the host, by a
 * stream, by a kernel, and by block ranks. {@link org.pgas4j.examples.halo.HostLoop}, {@link org.pgas4j.examples.halo.FusedLoop}
 * and {@link org.pgas4j.examples.halo.BlockLoop} are the parts to compare.
 */
package org.pgas4j.examples.halo;
