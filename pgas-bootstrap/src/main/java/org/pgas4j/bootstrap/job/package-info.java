/** How a JVM learns which job it is part of: sources found by {@link java.util.ServiceLoader}, asked in their order. */
package org.pgas4j.bootstrap.job;
