/** The data folder: for one process at a time, readable by its owner alone. */
@NullMarked
package io.feedbridge.gateway.store.folder;

import org.jspecify.annotations.NullMarked;
