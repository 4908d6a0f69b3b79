/** Data movement between two ranks. */
package org.pgas4j.fastpath;
