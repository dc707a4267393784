/** The tokens of logins, and the rights that they give. */
@NullMarked
package io.feedbridge.gateway.access;

import org.jspecify.annotations.NullMarked;
