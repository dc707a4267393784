/** Who may do what: the tokens of logins. */
@NullMarked
package io.feedbridge.gateway.access;

import org.jspecify.annotations.NullMarked;
