/** Commands: the studies, what is kept of them, and plots, pages and predictions made of that. */
package org.pgas4j.bench;
