/** Teams, windows and notifications of host code and streams (docs/notifications.md). */
package org.pgas4j.runtime.notify;
