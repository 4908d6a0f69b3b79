/** Sources of a JVM's job, found by {@link java.util.ServiceLoader} and tried in their order. */
package org.pgas4j.bootstrap.job;
