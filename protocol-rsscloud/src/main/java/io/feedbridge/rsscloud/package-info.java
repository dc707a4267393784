/**
 * The messages of rssCloud as values: what a cloud, an aggregator and a publisher say to each other
 * over REST, XML-RPC and SOAP, and what ping services are told, with its reading and writing. No
 * I/O, no clock and no threads; all types are immutable and may be used by many threads, and none
 * trusts what it reads.
 */
@NullMarked
package io.feedbridge.rsscloud;

import org.jspecify.annotations.NullMarked;
