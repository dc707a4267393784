/**
 * Parts that all pages of the console need: sessions and the check of each request, calls of the
 * API, templates, the files that pages load.
 */
@NullMarked
package io.feedbridge.gateway.web.console.kit;

import org.jspecify.annotations.NullMarked;
