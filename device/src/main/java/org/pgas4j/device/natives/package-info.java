/** Loading of native libraries, with the true reason where it fails; any thread. */
package org.pgas4j.device.natives;
