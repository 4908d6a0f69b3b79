/** Random operations that are compared with a sequential model. */
package org.pgas4j.testkit.random;
