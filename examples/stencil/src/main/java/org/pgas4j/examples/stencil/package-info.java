/**
 * Horizontal diffusion as in a weather model, split by rows over devices and blocks: dCUDA's mini application.
 * {@link org.pgas4j.examples.stencil.BlockStencil} and {@link org.pgas4j.examples.stencil.HostStencil} are the parts to copy.
 */
package org.pgas4j.examples.stencil;
