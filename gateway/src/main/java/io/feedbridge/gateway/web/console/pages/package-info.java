/** The pages of the console: each class answers the paths of one section. */
@NullMarked
package io.feedbridge.gateway.web.console.pages;

import org.jspecify.annotations.NullMarked;
