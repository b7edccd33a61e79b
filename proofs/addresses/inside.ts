import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { interrupt } from '@kinora/stack/harness/interruption';
import type { ProofSize } from '../proof.ts';
import { keepingLogs, withStack } from '../proof-stack.ts';
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
 * A message to addresses.ts, which starts this program in a network namespace as `inside.ts SIZE`: a line of progress,
 * or at the end the outcome or an error.
 */
export type Message = { line: string } | { outcome: Awaited<ReturnType<typeof prove>> } | { error: string };

/** Sends a message unless the parent has died. */
const send = (message: Message): void => void (process.connected && process.send?.(message));
// A signal to the process group reaches both processes. Without its parent the proof has no reader, so it stops too.
for (const event of ['SIGINT', 'SIGTERM', 'disconnect'] as const) process.on(event, interrupt);

/** Ports that the corpus names, ports that are never open, and the port of the proxy in the environment. */
const canaryPorts = [22, 25, 3128, 6379, 8080, 9000, 11211];

const size = process.argv[2] as ProofSize; // addresses.ts passes a valid size.
const folder = mkdtempSync(join(tmpdir(), 'kinora-addresses-'));
try {
  const report = (line: string) => send({ line });
  takeOverTheWorld(folder);
  const certificates = makeCertificates(folder, certificateNames());
  const names = await startNameServer(nameServerAddress, respondUnknown);
  // Temporal's server queries these names to find its newest version; Kinora does not.
  for (const name of ['version-info.temporal.io', 'version-info.temporal.io.corp.internal'])
    names.define(name, () => ({ status: 'nxdomain' }));
  const internet = await startInternet(certificates, canaryPorts);
  let number = 0;
  const world = { internet, names, bombs: await makeBombs(), nextNumber: () => (number += 1) };
  report('the name server, the web servers and the canary are listening');
  const outcome = await withStack(report, (stack) =>
    keepingLogs('addresses', stack.info, () =>
      prove({ stack, world, size, report, authorityPath: certificates.authorityPath }),
    ),
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

/**
 * Responds for names that no case has defined: public names get the proof's servers, all others forbidden addresses.
 */
function respondUnknown({ name }: Parameters<Script>[0]): ReturnType<Script> {
  const { ipv4, ipv6 } = publicAddresses;
  if (name === publicName) return { addresses: [ipv4] };
  if (name.endsWith(`.${publicZone}`)) return { addresses: [ipv4, ipv6] };
  return { addresses: name.includes('metadata') ? ['169.254.169.254', 'fd00:ec2::254'] : ['127.0.0.1', '::1'] };
}
