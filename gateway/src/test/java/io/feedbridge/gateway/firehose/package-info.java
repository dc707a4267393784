/** Tests of the firehose as a source of pings. */
@NullMarked
package io.feedbridge.gateway.firehose;

import org.jspecify.annotations.NullMarked;
