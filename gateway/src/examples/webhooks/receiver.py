"""A receiver of webhooks: python3 receiver.py 8080 whsec_…"""

import base64
import hashlib
import hmac
import json
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

KEY = base64.b64decode(sys.argv[2][len("whsec_"):])
MAX_BYTES = 16 << 20


def is_signed(headers, body):
    message_id = headers.get("webhook-id", "")
    timestamp = headers.get("webhook-timestamp", "")
    if not message_id or not timestamp.isdigit() or abs(time.time() - int(timestamp)) > 300:
        return False  # incomplete, or a replayed message
    signed = f"{message_id}.{timestamp}.".encode() + body
    mac = base64.b64encode(hmac.new(KEY, signed, hashlib.sha256).digest())
    signatures = headers.get("webhook-signature", "").split(" ")
    return any(hmac.compare_digest(one.encode(), b"v1," + mac) for one in signatures)


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        length = int(self.headers.get("Content-Length", "0"))
        if length > MAX_BYTES:
            return self.answer(413)
        body = self.rfile.read(length)
        if not is_signed(self.headers, body):
            return self.answer(401)
        document = json.loads(body)
        if document["type"] == "endpoint.verification":
            return self.answer(200, body)  # the body has the challenge
        # A retry has the same id: skip an id that you have seen.
        for item in document.get("items", []):
            print(self.headers["webhook-id"], document["type"], item.get("title"), flush=True)
        return self.answer(204)

    def answer(self, status, body=b""):
        self.send_response(status)
        if status != 204:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Receiver)
print("ready", flush=True)
server.serve_forever()
