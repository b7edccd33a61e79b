set -eu
authorization="Authorization: Bearer $KINORA_API_KEY"

# 1. Request a video, and let the service hold the response until it is done, for at most a minute.
curl -sS --fail-with-body "$KINORA_BASE_URL/v1/videos/text-to-video" -o task.json \
  -H "$authorization" -H 'Content-Type: application/json' -H 'Prefer: wait=60' \
  -d '{
    "prompt": "A paper boat drifts down a rain-soaked street",
    "resolution": "480p", "aspect_ratio": "1:1", "duration": 1
  }'

# 2. If a minute was not enough, keep waiting.
while [ "$(node -p 'require("./task.json").is_final')" = false ]; do
  task=$(node -p 'require("./task.json").id')
  curl -sS --fail-with-body "$KINORA_BASE_URL/v1/videos/$task?wait=60" -o task.json -H "$authorization"
done
node -p 'const { id, status, error } = require("./task.json"); `${id} ${status} ${error?.message ?? ""}`.trim()'

# 3. Download the video. The URL is signed for an hour and needs no header.
curl -sS --fail-with-body "$(node -p 'require("./task.json").video_url')" -o boat.mp4
echo boat.mp4
