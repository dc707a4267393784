/**
 * The operator's API under {@code /api/v1}. JSON comes in and goes out; whatever the API does goes
 * through the stages and the store's ports.
 */
@NullMarked
package io.feedbridge.gateway.web.api;

import org.jspecify.annotations.NullMarked;
