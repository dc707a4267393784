/** The program: its entry and the one place where everything is wired. */
@NullMarked
package io.feedbridge.gateway;

import org.jspecify.annotations.NullMarked;
