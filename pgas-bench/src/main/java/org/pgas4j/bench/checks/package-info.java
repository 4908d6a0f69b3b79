/** Cost of the checks of a put, for JMH, which makes a runner of each benchmark here. */
package org.pgas4j.bench.checks;
