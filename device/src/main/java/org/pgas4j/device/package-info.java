/**
 * Memory spaces: one service interface ({@link org.pgas4j.device.DeviceBackend}) and its two backends, CUDA and the
 * host device. Called by the runtime, from the thread that owns the object.
 */
package org.pgas4j.device;
