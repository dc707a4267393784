/**
 * The table of options. The texts of options come in, from a command line, an environment or a
 * file; checked {@link io.feedbridge.gateway.config.Settings} or problems go out. It knows neither
 * picocli nor the manual, which are made from the table.
 */
@NullMarked
package io.feedbridge.gateway.config;

import org.jspecify.annotations.NullMarked;
