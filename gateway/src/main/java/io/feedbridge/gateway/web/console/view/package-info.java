/**
 * The values that templates show: the API's answers as records, and texts for times, sizes and
 * links. All of them hold text of strangers, which the templates escape.
 */
@NullMarked
package io.feedbridge.gateway.web.console.view;

import org.jspecify.annotations.NullMarked;
