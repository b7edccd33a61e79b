set -eu
# Prints the secret that signs the webhooks. It is shown only this once.
curl -sS --fail-with-body "$KINORA_BASE_URL/v1/webhook-endpoints" \
  -H "Authorization: Bearer $KINORA_API_KEY" -H 'Content-Type: application/json' \
  -d "{\"url\": \"$1\"}" |
  node -p 'const { secret, error } = JSON.parse(require("fs").readFileSync(0)); if (error) throw error.message; secret'
