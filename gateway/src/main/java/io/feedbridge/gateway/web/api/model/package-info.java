/**
 * The answers of the JSON API as records. The API writes them and the console reads them, so that
 * the two cannot differ. Their strings are text of strangers, which the console's templates escape.
 */
@NullMarked
package io.feedbridge.gateway.web.api.model;

import org.jspecify.annotations.NullMarked;
