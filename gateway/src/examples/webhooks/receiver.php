<?php
// A receiver of webhooks: WEBHOOK_SECRET=whsec_… php -S 127.0.0.1:8080 receiver.php
$key = base64_decode(substr(getenv('WEBHOOK_SECRET'), strlen('whsec_')));
$body = file_get_contents('php://input');

function is_signed(string $body, string $key): bool
{
    $id = $_SERVER['HTTP_WEBHOOK_ID'] ?? '';
    $timestamp = $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? '';
    if ($id === '' || !ctype_digit($timestamp) || abs(time() - (int) $timestamp) > 300) {
        return false; // incomplete, or a replayed message
    }
    $mac = base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
    foreach (explode(' ', $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? '') as $signature) {
        if (hash_equals("v1,$mac", $signature)) {
            return true;
        }
    }
    return false;
}

if (!is_signed($body, $key)) {
    http_response_code(401);
    return true;
}
$document = json_decode($body, true);
if ($document['type'] === 'endpoint.verification') {
    echo $body; // the body has the challenge
    return true;
}
// A retry has the same id: skip an id that you have seen.
foreach ($document['items'] ?? [] as $item) {
    error_log($_SERVER['HTTP_WEBHOOK_ID'] . ' ' . $document['type'] . ' ' . ($item['title'] ?? $item['id']));
}
http_response_code(204);
return true;
