package io.feedbridge.gateway.server;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.ServerChannel;
import java.time.Clock;

/**
 * What a server is made of.
 *
 * @param boss accepts connections; the caller's to shut down
 * @param workers serve them; the caller's to shut down
 * @param channelClass of the same transport as the groups
 * @param clock for the Date of responses
 */
public record ServerConfig(
    EventLoopGroup boss,
    EventLoopGroup workers,
    Class<? extends ServerChannel> channelClass,
    Router router,
    ServerLimits limits,
    ServerObserver observer,
    Clock clock) {}
