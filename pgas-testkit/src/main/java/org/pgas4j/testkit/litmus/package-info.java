/** Programs for single ordering guarantees, and faults and broken twins that they must notice. */
package org.pgas4j.testkit.litmus;
