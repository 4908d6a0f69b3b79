/** Loading of native libraries, with the true reason of a failure. Any thread. */
package org.pgas4j.device.natives;
