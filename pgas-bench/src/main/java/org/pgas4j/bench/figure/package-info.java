/** Figures, tables and pages of results. */
package org.pgas4j.bench.figure;
