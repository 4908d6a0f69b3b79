/** Rows of results: as JSON, CSV and tables, and the machine they come from. */
package org.pgas4j.bench.result;
