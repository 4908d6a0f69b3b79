/** What the checks of a put cost, for JMH, which makes a runner of each benchmark here. */
package org.pgas4j.bench.checks;
