/**
 * The console: HTML pages for operators and visitors, and the log of the latest activity. Requests
 * of browsers come in and pages go out. The console is a client of the API within the process: it
 * has no access to the store or to a stage, so each of its queries and actions is one of {@code
 * /api/v1}.
 */
@NullMarked
package io.feedbridge.gateway.web.console;

import org.jspecify.annotations.NullMarked;
