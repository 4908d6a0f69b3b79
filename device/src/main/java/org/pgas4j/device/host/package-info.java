/**
 * The host device: memory, in-order streams, kernels and matrix products of a device, done by the host's processors. It
 * behaves as a GPU does, copies and all, so that a program needs no GPU to run.
 */
package org.pgas4j.device.host;
