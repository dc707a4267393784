use strict;
use warnings;
use SOAP::Transport::HTTP;

$| = 1;

sub feedUpdated {
    my ( $class, $url ) = @_;
    print "$url\n";
    return SOAP::Data->type( boolean => 1 );
}

package Handler;

sub feedUpdated { return main::feedUpdated(@_) }

package main;

my $daemon = SOAP::Transport::HTTP::Daemon->new( LocalAddr => '127.0.0.1', LocalPort => 0 )
    ->dispatch_to(@ARGV);
print URI->new( $daemon->url )->port, "\n";
$daemon->handle;
