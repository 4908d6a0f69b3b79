/** Chooses a backend: CUDA where a GPU can be used, else the host device. Any thread. */
package org.pgas4j.device.select;
