/**
 * Blocks of devices as ranks: their memory on the device, the way of their requests through the host, and their Java
 * form.
 */
package org.pgas4j.runtime.blocks;
