/** Control plane of a job: its JVMs find each other, exchange addresses, call each other and fail together. */
package org.pgas4j.bootstrap;
