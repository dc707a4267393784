/**
 * The messages of rssCloud as values: the messages between a cloud, an aggregator and a publisher
 * over REST, XML-RPC and SOAP, and the pings of ping services, with their reading and writing. The
 * package has no I/O, no clock and no threads; all types are immutable and may be used by many
 * threads, and each type treats its input as hostile.
 */
@NullMarked
package io.feedbridge.rsscloud;

import org.jspecify.annotations.NullMarked;
