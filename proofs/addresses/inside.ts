import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { interrupt } from '@kinora/stack/harness/interruption';
import type { ProofSize } from '../proof.ts';
import { keepingLogs, withStack } from '../proof-stack.ts';
import { prove } from './prove-addresses.ts';
import { startWorld } from './start-world.ts';

/** A message to addresses.ts, which starts `inside.ts SIZE` in a namespace: progress, the outcome or an error. */
export type Message = { line: string } | { outcome: Awaited<ReturnType<typeof prove>> } | { error: string };

/** Sends a message unless the parent has died. */
const send = (message: Message): void => void (process.connected && process.send?.(message));
// A signal to the process group reaches both processes. Without its parent the proof has no reader, so it stops too.
for (const event of ['SIGINT', 'SIGTERM', 'disconnect'] as const) process.on(event, interrupt);

const size = process.argv[2] as ProofSize; // addresses.ts passes a valid size.
const folder = mkdtempSync(join(tmpdir(), 'kinora-addresses-'));
try {
  const report = (line: string) => send({ line });
  const { authorityPath, ...world } = await startWorld(folder);
  // Temporal's server queries these names to find its newest version; Kinora does not.
  for (const name of ['version-info.temporal.io', 'version-info.temporal.io.corp.internal'])
    world.names.define(name, () => ({ status: 'nxdomain' }));
  report('the name server, the web servers and the canary are listening');
  const outcome = await withStack(report, (stack) =>
    keepingLogs('addresses', stack.info, () => prove({ stack, world, size, report, authorityPath })),
  );
  end({ outcome });
} catch (error) {
  end({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
}

/** Exits once the last message has been sent; the namespace ends with its process. */
function end(message: Message): void {
  rmSync(folder, { recursive: true, force: true });
  if (process.connected) process.send?.(message, () => process.exit());
  else process.exit();
}
