/** Experiments on helper threads: plans and their points, arrivals, the parts of a request, and a model of its median. */
package org.pgas4j.bench.lab;
