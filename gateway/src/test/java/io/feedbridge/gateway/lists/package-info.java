/** Tests of lists that live. */
@NullMarked
package io.feedbridge.gateway.lists;

import org.jspecify.annotations.NullMarked;
