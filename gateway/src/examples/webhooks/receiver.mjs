// A receiver of webhooks: node receiver.mjs 8080 whsec_…
import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";

const [port, secret] = process.argv.slice(2);
const key = Buffer.from(secret.slice("whsec_".length), "base64");
const MAX_BYTES = 16 << 20;

function isSigned(headers, body) {
  const id = headers["webhook-id"];
  const timestamp = headers["webhook-timestamp"];
  if (!id || !/^\d+$/.test(timestamp ?? "") || Math.abs(Date.now() / 1000 - timestamp) > 300) {
    return false; // incomplete, or a replayed message
  }
  const mac = createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest();
  return (headers["webhook-signature"] ?? "").split(" ").some((signature) => {
    const given = Buffer.from(signature.replace(/^v1,/, ""), "base64");
    return signature.startsWith("v1,") && given.length === mac.length && timingSafeEqual(given, mac);
  });
}

createServer((request, response) => {
  const parts = [];
  let length = 0;
  request.on("data", (part) => {
    length += part.length;
    length > MAX_BYTES ? request.destroy() : parts.push(part);
  });
  request.on("end", () => {
    const body = Buffer.concat(parts);
    if (!isSigned(request.headers, body)) {
      response.writeHead(401).end();
      return;
    }
    const document = JSON.parse(body);
    if (document.type === "endpoint.verification") {
      response.end(body); // the body has the challenge
      return;
    }
    // A retry has the same id: skip an id that you have seen.
    for (const item of document.items ?? []) {
      console.log(`${request.headers["webhook-id"]} ${document.type} ${item.title}`);
    }
    response.writeHead(204).end();
  });
}).listen(Number(port), "127.0.0.1", () => console.log("ready"));
