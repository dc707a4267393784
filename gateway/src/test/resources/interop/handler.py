"""An aggregator on xmlrpc.server: prints its port, then the feed of each notification, until its input ends."""
import sys
import threading
from xmlrpc.server import SimpleXMLRPCServer

server = SimpleXMLRPCServer(("127.0.0.1", 0), logRequests=False)


def updated(feed):
    print(feed, flush=True)
    return True


server.register_function(updated, "river.feedUpdated")
print(server.server_address[1], flush=True)
threading.Thread(target=server.serve_forever, daemon=True).start()
sys.stdin.read()
