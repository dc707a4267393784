/**
 * The gateway as a WebSub hub with Superfeedr's calls. Forms come in; subscription requests and
 * documents of past entries go out.
 */
@NullMarked
package io.feedbridge.gateway.web.hub;

import org.jspecify.annotations.NullMarked;
