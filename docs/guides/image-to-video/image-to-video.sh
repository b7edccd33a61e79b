set -eu
image=$1
authorization="Authorization: Bearer $KINORA_API_KEY"

# 1. Upload the picture once. Its id works for any number of videos within 24 hours.
curl -sS --fail-with-body "$KINORA_BASE_URL/v1/files" -o file.json -H "$authorization" -F "file=@$image"
file=$(node -p 'require("./file.json").id')

# 2. Request a video that starts with it, and wait.
curl -sS --fail-with-body "$KINORA_BASE_URL/v1/videos/image-to-video" -o task.json \
  -H "$authorization" -H 'Content-Type: application/json' -H 'Prefer: wait=60' \
  -d "{\"prompt\": \"The camera moves in slowly\", \"image_url\": \"$file\", \"resolution\": \"480p\", \"duration\": 1}"
node -p 'const { type, status, size } = require("./task.json"); `${type} ${status} ${size}`'

# 3. Download the video.
curl -sS --fail-with-body "$(node -p 'require("./task.json").video_url')" -o moving.mp4
echo moving.mp4
