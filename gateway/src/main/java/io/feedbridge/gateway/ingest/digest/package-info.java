/**
 * From a fetched or delivered document to the changes of the store that it means. Writes nothing
 * itself.
 */
@NullMarked
package io.feedbridge.gateway.ingest.digest;

import org.jspecify.annotations.NullMarked;
