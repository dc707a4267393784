/**
 * The values that templates show beside the API's answers: texts for times, sizes and links, and
 * parts of pages. All of them hold text of strangers, which the templates escape.
 */
@NullMarked
package io.feedbridge.gateway.web.console.view;

import org.jspecify.annotations.NullMarked;
