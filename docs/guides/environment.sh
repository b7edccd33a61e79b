# Source it in the root of the clone: . docs/guides/environment.sh
export KINORA_BASE_URL="$(.tools/bin/node -p 'require("./.stack/dev.json").url')"
export KINORA_API_KEY="$(.tools/bin/node -p 'require("./.stack/dev.json").testKey')"
# This provides the pinned Node, a `kinora` command, and @kinora/sdk from its sources, so nothing needs to be built.
mkdir -p .stack/bin
printf '#!/bin/sh\nexec node "%s/cli/src/main.ts" "$@"\n' "$PWD" >.stack/bin/kinora
chmod +x .stack/bin/kinora
export PATH="$PWD/.stack/bin:$PWD/.tools/bin:$PATH"
export NODE_OPTIONS=--conditions=kinora-source
