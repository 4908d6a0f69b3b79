/** What a runtime implements so that {@link org.pgas4j.Pgas} finds it. Programs do not use this package. */
package org.pgas4j.spi;
