/** Model of collectives, and the probe of a machine that gives its parameters. */
package org.pgas4j.bench.model;
