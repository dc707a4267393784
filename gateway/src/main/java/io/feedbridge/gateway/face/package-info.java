/**
 * The HTTP endpoints: from requests of each protocol to calls of the stages, and back to its
 * answers.
 */
@NullMarked
package io.feedbridge.gateway.face;

import org.jspecify.annotations.NullMarked;
