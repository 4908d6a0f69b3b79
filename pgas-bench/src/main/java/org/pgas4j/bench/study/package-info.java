/** Studies: each measures this system and, in the same run, what it is compared with, after checking the data. */
package org.pgas4j.bench.study;
