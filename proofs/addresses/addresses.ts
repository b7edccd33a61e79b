import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { interrupted } from '@kinora/stack/harness/interruption';
import type { Proof, ProofOutcome, ProofSize } from '../proof.ts';
import { serverPaths } from '../server-paths.ts';
import type { Message } from './inside.ts';

export const proof: Proof = {
  name: 'addresses',
  promise:
    'Whatever URL a caller or an engine names, by itself, by redirect or by DNS: nothing connects to the inside.',
  covers: serverPaths(`activities/deliver-activities.ts api/requests/image-url-problem.ts
      api/requests/receiver-url-problem.ts commands/outbound-commands.ts engines/fetch-named-output.ts
      operations/files/ outbound/ wiring/wire-webhooks.ts`),
  minutes: 2,
  run: runInNamespace,
};

/** Runs the proof where every address of the world is its own, so that a hole shows and hurts nobody. */
async function runInNamespace(size: ProofSize, report: (line: string) => void): Promise<ProofOutcome> {
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
      child.once('exit', (code) => reject(new Error(`the namespace ended with code ${code}; it needs unshare and ip`)));
    });
  } finally {
    interrupted.removeEventListener('abort', stop);
  }
}
