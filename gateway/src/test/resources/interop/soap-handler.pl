use strict;
use warnings;
use SOAP::Transport::HTTP;

$| = 1;

sub feedUpdated {
    my ( $class, $url ) = @_;
    print "$url\n";
    return SOAP::Data->type( boolean => 1 );
}

my $daemon = SOAP::Transport::HTTP::Daemon->new( LocalAddr => '127.0.0.1', LocalPort => 0 )
    ->dispatch_to('feedUpdated');
print URI->new( $daemon->url )->port, "\n";
$daemon->handle;
