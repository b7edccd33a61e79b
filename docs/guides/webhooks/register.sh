set -eu
# Prints the secret that the webhooks will be signed with. It is shown this one time.
curl -sS --fail-with-body "$KINORA_BASE_URL/v1/webhook-endpoints" \
  -H "Authorization: Bearer $KINORA_API_KEY" -H 'Content-Type: application/json' \
  -d "{\"url\": \"$1\"}" |
  node -p 'const { secret, error } = JSON.parse(require("fs").readFileSync(0)); if (error) throw error.message; secret'
