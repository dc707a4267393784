/**
 * Parts that the handlers of every kind of caller share: access, addresses of callers, fields,
 * pages of lists, problem documents.
 */
@NullMarked
package io.feedbridge.gateway.web.common;

import org.jspecify.annotations.NullMarked;
