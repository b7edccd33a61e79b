import { renderAnimaticSettings } from '../animatic/src/config.ts';
import { renderServerSettings } from '../server/src/config/config.ts';

/** Renders docs/operations/configuration.md from the tables of settings. */
export function renderConfigurationPage(): string {
  return `<!-- Generated from server/src/config/config.ts and animatic/src/config.ts by npm run fix; do not edit. -->

# Configuration

Each process reads these variables from its environment once, at start. [.env.example](../../.env.example) has all of them as
a file to copy, and [connections and secrets](connections.md) says how they work together. A secret can also be in a file,
which the name with \`_FILE\` at its end names. Lists are comma-separated. Models, pools and endpoints are in the [models
file](../models.md).

## kinora-server

${renderServerSettings()}
## kinora-animatic

It also reads \`KINORA_LOG_LEVEL\`, \`KINORA_SCRATCH_FOLDER\` and \`KINORA_MINIMUM_ISOLATION\`, and refuses unknown
\`KINORA_ANIMATIC_…\` names. The two programs ignore each other's settings, so both can read one file.

${renderAnimaticSettings()}`;
}
