/** Moving bytes between two ranks. */
package org.pgas4j.fastpath;
