/**
 * Named moments at which a test can end the process as a power cut would; inert unless a system
 * property names one.
 */
@NullMarked
package io.feedbridge.gateway.failpoint;

import org.jspecify.annotations.NullMarked;
