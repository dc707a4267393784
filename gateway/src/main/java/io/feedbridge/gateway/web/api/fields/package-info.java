/** Groups of fields that several requests of the API have in common. */
@NullMarked
package io.feedbridge.gateway.web.api.fields;

import org.jspecify.annotations.NullMarked;
