/** HTML pages: the log of the latest activity. */
@NullMarked
package io.feedbridge.gateway.web.console;

import org.jspecify.annotations.NullMarked;
