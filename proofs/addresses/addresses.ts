import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { interrupted } from '@kinora/stack/harness/interruption';
import type { Proof, ProofOptions, ProofOutcome } from '../proof.ts';
import type { Message } from './inside.ts';

export const proof: Proof = {
  name: 'addresses',
  promise:
    'Kinora never connects to an internal address, whichever URL, redirect or DNS name a caller or an engine sends.',
  minutes: 2,
  runInOwnNetwork: runInNamespace,
};

/** Runs where every address is local, so that each forbidden connection is seen and none leaves the machine. */
async function runInNamespace({ size, report }: ProofOptions): Promise<ProofOutcome> {
  const namespaces = ['--user', '--map-root-user', '--net', '--mount'];
  const inside = [process.execPath, join(import.meta.dirname, 'inside.ts'), size];
  const child = spawn('unshare', [...namespaces, '--', ...inside], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const stop = (): void => void child.kill('SIGTERM');
  interrupted.addEventListener('abort', stop, { once: true });
  try {
    return await new Promise<ProofOutcome>((resolve, reject) => {
      child.on('message', (message: Message) => {
        if ('line' in message) report(message.line);
        else if ('outcome' in message) resolve(message.outcome);
        else reject(new Error(message.error));
      });
      child.once('error', reject);
      child.once('exit', (code) =>
        reject(new Error(`the namespace exited with code ${code}; it needs the commands unshare and ip`)),
      );
    });
  } finally {
    interrupted.removeEventListener('abort', stop);
  }
}
