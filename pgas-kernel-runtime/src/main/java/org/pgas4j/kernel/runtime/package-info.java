/** Kernels written in Java: translated, given their arguments, and launched; on the host device run as they are. */
package org.pgas4j.kernel.runtime;
