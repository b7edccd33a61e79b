import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { closing } from '@kinora/stack/harness/closing';
import { eventually } from '@kinora/stack/harness/eventually';
import { type Installation, startInstallation, usualRoles } from '@kinora/stack/harness/installation';
import { findFreePorts } from '@kinora/stack/parts/free-port';
import { lastLines, startProcess } from '@kinora/stack/parts/processes';
import type { Stack } from '@kinora/stack/parts/stack';
import { toolPath } from '@kinora/stack/parts/stack-state';
import { startTemporaryStack } from '@kinora/stack/parts/temporary-stack';

const cellFiles = join(import.meta.dirname, '../../deploy/cells');
const parts = ['postgres', 's3', 'temporal'] as const;

/** Two installations, each with parts of its own, behind one HAProxy with the configuration that we ship. */
export interface CellsWorld extends AsyncDisposable {
  /** Where callers reach both. */
  url: string;
  a: Installation;
  b: Installation;
  /** Kills every process of cell A and of its parts. */
  killA(): Promise<void>;
  reviveA(): Promise<void>;
  /** Puts a line above the others of the map, or takes it away, and lets HAProxy read it. */
  setLine(line: string | null): Promise<void>;
}

export async function startCells(stackA: Stack, report: (line: string) => void): Promise<CellsWorld> {
  await using cleanup = new AsyncDisposableStack();
  const stackB = await startTemporaryStack('prove-b', report);
  cleanup.defer(() => stackB.wipe());
  const port = await findFreePorts(1);
  const url = `http://127.0.0.1:${port}`;
  const install = (stack: Stack, shards: string): Promise<Installation> =>
    startInstallation({
      stack,
      environment: { KINORA_PUBLIC_URL: url, KINORA_SHARDS: shards },
      limits: { creates: 100_000, reads: 1_000_000 },
      onProgress: report,
    });
  const a = cleanup.use(closing(await install(stackA, '00-fz')));
  const b = cleanup.use(closing(await install(stackB, 'g0-zz')));
  const proxy = await startProxy(join(stackA.info.folder, 'cells'), { port, a, b });
  cleanup.defer(() => proxy.stop());
  const whole = cleanup.move();
  return {
    url,
    a,
    b,
    killA: async () => {
      await Promise.all([
        ...usualRoles.map((role) => a.stop(role, 'SIGKILL')),
        ...parts.map((part) => stackA.kill(part)),
      ]);
    },
    reviveA: async () => {
      for (const part of parts) await stackA.start(part);
      await Promise.all(usualRoles.map((role) => a.start(role)));
    },
    setLine: (line) => proxy.setLine(line),
    [Symbol.asyncDispose]: () => whole.disposeAsync(),
  };
}

async function startProxy(folder: string, { port, a, b }: { port: number; a: Installation; b: Installation }) {
  mkdirSync(folder, { recursive: true });
  const mapPath = join(folder, 'shards.map');
  copyFileSync(join(cellFiles, 'shards.map'), mapPath);
  const lines = readFileSync(mapPath, 'utf8');
  let configurationsRead = 0;
  const proxy = startProcess({
    name: 'haproxy',
    command: toolPath('haproxy', 'programs'),
    arguments: ['-W', '-db', '-f', join(cellFiles, 'haproxy.cfg')],
    environment: {
      KINORA_CELLS_FOLDER: folder,
      KINORA_CELLS_BIND: `127.0.0.1:${port}`,
      KINORA_CELL_A: new URL(a.url).host,
      KINORA_CELL_B: new URL(b.url).host,
    },
    logPath: join(folder, 'haproxy.log'),
    onLine: (line) => {
      if (line.includes('Loading success')) configurationsRead += 1;
    },
  });
  let hasExited = false;
  void proxy.exited.then(() => (hasExited = true));
  const read = (count: number) =>
    eventually('HAProxy has read its map', () => {
      if (hasExited) throw new Error(`HAProxy has ended: ${lastLines(proxy.logPath, 5)}`);
      return configurationsRead >= count;
    });
  await read(1);
  await eventually('HAProxy reaches both cells', async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).ok);
  return {
    async setLine(line: string | null): Promise<void> {
      writeFileSync(mapPath, line === null ? lines : `${line}\n${lines}`);
      const known = configurationsRead;
      proxy.kill('SIGUSR2');
      await read(known + 1);
    },
    async stop(): Promise<void> {
      proxy.kill();
      await proxy.exited;
    },
  };
}
