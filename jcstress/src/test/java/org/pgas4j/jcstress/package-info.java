/**
 * Words that two threads share, and the classes around them, under all orders that processor and compiler allow. Each
 * case has a twin with the error that the case excludes; the twin shows it, which proves that the case could.
 */
package org.pgas4j.jcstress;
