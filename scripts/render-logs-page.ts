import { logEvents as animaticEvents } from '../animatic/src/log-events.ts';
import { logEvents as serverEvents } from '../server/src/telemetry/log-events.ts';

/** Renders docs/operations/logs.md from the tables of events. */
export function renderLogsPage(): string {
  return `<!-- Generated from server/src/telemetry/log-events.ts and animatic/src/log-events.ts by npm run fix; do not edit. -->

# Log events

What each \`event\` of the log means, and what to do about it. Most need nothing. [Monitoring](monitoring.md#the-log) describes
the other fields, how to follow one task, and how the log stays short during an outage.

## Events of kinora-server

${tableOf(serverEvents)}
## Events of kinora-animatic

${tableOf(animaticEvents)}`;
}

function tableOf(events: Readonly<Record<string, { level: string; meaning: string }>>): string {
  const rows = Object.entries(events).map(
    ([event, { level, meaning }]) => `| \`${event}\` | ${level} | ${meaning} |\n`,
  );
  return `| Event | Usual level | Meaning |\n|---|---|---|\n${rows.join('')}`;
}
