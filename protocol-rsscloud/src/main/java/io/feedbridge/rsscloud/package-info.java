/** The messages of rssCloud as values: registrations, challenges, notifications and pings. */
@NullMarked
package io.feedbridge.rsscloud;

import org.jspecify.annotations.NullMarked;
