/**
 * Words that two threads share, under all orders that processor and compiler allow. Each case has a twin with the error
 * that the case is to exclude; that the twin shows it proves that the case could.
 */
package org.pgas4j.jcstress;
