/** What feeds had to say before: their newest entries, chosen and written as documents. */
@NullMarked
package io.feedbridge.gateway.retrieve;

import org.jspecify.annotations.NullMarked;
