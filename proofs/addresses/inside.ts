import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { interrupt } from '@kinora/stack/harness/interruption';
import type { ProofSize } from '../proof.ts';
import { withProofStack } from '../proof-stack.ts';
import { publicAddresses, publicZone } from './address-case.ts';
import { makeBombs } from './body-cases.ts';
import { makeCertificates } from './certificates.ts';
import { publicName } from './forms.ts';
import { startInternet } from './internet.ts';
import { certificateNames } from './legitimate-cases.ts';
import { type Script, startNameServer } from './name-server.ts';
import { nameServerAddress, takeOverTheWorld } from './network.ts';
import { prove } from './prove-addresses.ts';

/**
 * The proof itself, in its namespace: `inside.ts SIZE`, started by addresses.ts, to which it sends lines of progress and
 * in the end the outcome.
 */
export type Message = { line: string } | { outcome: Awaited<ReturnType<typeof prove>> } | { error: string };

/** A parent that has died hears nothing more. */
const say = (message: Message): void => void (process.connected && process.send?.(message));
// A signal to the group reaches both; without a parent there is nobody to prove it to.
for (const event of ['SIGINT', 'SIGTERM', 'disconnect'] as const) process.on(event, interrupt);

/** Ports that the corpus names, that are never open, or where a proxy of the environment would be. */
const canaryPorts = [22, 25, 3128, 6379, 8080, 9000, 11211];

const size = process.argv[2] as ProofSize; // what addresses.ts was asked for
const folder = mkdtempSync(join(tmpdir(), 'kinora-addresses-'));
try {
  const report = (line: string) => say({ line });
  takeOverTheWorld(folder);
  const certificates = makeCertificates(folder, certificateNames());
  const names = await startNameServer(nameServerAddress, respondUnknown);
  // Temporal's server asks there for its newest version; that is none of Kinora's connections.
  for (const name of ['version-info.temporal.io', 'version-info.temporal.io.corp.internal'])
    names.define(name, () => ({ status: 'nxdomain' }));
  const internet = await startInternet(certificates, canaryPorts);
  let number = 0;
  const world = { internet, names, bombs: await makeBombs(), nextNumber: () => (number += 1) };
  report('the namespace has its name server, its servers and its canary');
  const outcome = await withProofStack('addresses', report, (stack) =>
    prove({ stack, world, size, report, authorityPath: certificates.authorityPath }),
  );
  end({ outcome });
} catch (error) {
  end({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
}

/** The world ends with its process, and both once the last word has been sent. */
function end(message: Message): void {
  rmSync(folder, { recursive: true, force: true });
  if (process.connected) process.send?.(message, () => process.exit());
  else process.exit();
}

/** Names that no case has defined: the world's lead to its servers, all others to where nobody may go. */
function respondUnknown({ name }: Parameters<Script>[0]): ReturnType<Script> {
  const { ipv4, ipv6 } = publicAddresses;
  if (name === publicName) return { addresses: [ipv4] };
  if (name.endsWith(`.${publicZone}`)) return { addresses: [ipv4, ipv6] };
  return { addresses: name.includes('metadata') ? ['169.254.169.254', 'fd00:ec2::254'] : ['127.0.0.1', '::1'] };
}
