/** Commands of operators, at a real gateway. */
@NullMarked
package io.feedbridge.gateway.cli.operate;

import org.jspecify.annotations.NullMarked;
