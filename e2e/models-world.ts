import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Installation, type RoleName, startInstallation } from '@kinora/stack/harness/installation';
import { type LogLine, readLogLines } from '@kinora/stack/harness/log-lines';
import { ampleLimits } from '@kinora/stack/harness/project-limits';
import { makeVideo } from '@kinora/stack/harness/sample-videos';
import { type StubEngine, startStubEngine } from '@kinora/stack/harness/stub-engine';
import { startTemporaryStack } from '@kinora/stack/parts/temporary-stack';
import { type CommandOutcome, commandOutcome } from './operator-command.ts';

/** A model of a models file, as far as the walks say anything of it. */
interface ModelEntry {
  id: string;
  pool?: string;
  [field: string]: unknown;
}

interface PoolEntry {
  id: string;
  engine: string;
  endpoints: { id: string; url: string }[];
}

interface ModelsFile {
  models: ModelEntry[];
  pools: PoolEntry[];
}

/** What models on stubs can do. What a stub delivers is always one second. */
export const stubShape = {
  types: ['text_to_video'],
  resolutions: ['480p'],
  aspect_ratios: ['1:1'],
  durations: { min: 1, max: 3 },
  fps: 16,
};

/** A pool whose servers speak as the built-in engine does. */
export const stubPool = (id: string, endpoints: Record<string, StubEngine>): PoolEntry => ({
  id,
  engine: 'animatic',
  endpoints: Object.entries(endpoints).map(([name, { url }]) => ({ id: name, url })),
});

/** JSON is YAML, and has a line for every field. */
export const render = (file: object): string => `${JSON.stringify(file, null, 2)}\n`;

/** The line, counted from 1, on which a text begins. */
export function lineOf(text: string, part: string): number {
  const at = text.indexOf(part);
  if (at < 0) throw new Error(`there is no ${part} in the file`);
  return text.slice(0, at).split('\n').length;
}

export interface ModelsWorld {
  installation: Installation;
  /** Takes jobs at once. */
  fast: StubEngine;
  /** Nobody answers there until it is revived. */
  away: StubEngine;
  /** Not in the file at first. */
  later: StubEngine;
  /** Takes the place of `later`. */
  successor: StubEngine;
  /** What the installation was started with. */
  file: ModelsFile;
  write: (text: string) => Promise<void>;
  /** Runs `kinora-server`, whatever becomes of it. */
  command: (args: string[], environment?: Record<string, string>) => Promise<CommandOutcome>;
  close: () => Promise<void>;
}

/** An installation with a models file of its own, whose engines are stubs beside the built-in one. */
export async function startModelsWorld(
  fileOf: (stubs: { fast: StubEngine; away: StubEngine }) => ModelsFile,
): Promise<ModelsWorld> {
  const stack = await startTemporaryStack('models');
  const stubs: StubEngine[] = [];
  let installation: Installation | null = null;
  const close = async (): Promise<void> => {
    await installation?.close();
    await Promise.all(stubs.map((stub) => stub.close()));
    await stack.wipe();
  };
  try {
    const folder = join(stack.info.folder, 'models');
    await mkdir(folder, { recursive: true });
    const video = await makeVideo(folder, 'lime', { width: 480, height: 480, fps: 16, frameCount: 16 });
    const stub = async (): Promise<StubEngine> => {
      const started = await startStubEngine({ slots: 1, jobMilliseconds: 400, outputOf: () => video });
      stubs.push(started);
      return started;
    };
    const [fast, away, later, successor] = await Promise.all([stub(), stub(), stub(), stub()]);
    await away.kill();
    const path = join(folder, 'models.yaml');
    const write = (text: string): Promise<void> => writeFile(path, text);
    const file = fileOf({ fast, away });
    await write(render(file));
    const running = await startInstallation({ stack, environment: { KINORA_MODELS_FILE: path } });
    installation = running;
    await running.command('projects', 'set', running.projectId, ...ampleLimits);
    const command = (args: string[], extra: Record<string, string> = {}) =>
      commandOutcome(args, { ...running.environment, ...extra });
    return { installation: running, fast, away, later, successor, file, write, command, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** What a role has logged. */
export function readLog(installation: Installation, role: RoleName): LogLine[] {
  return readLogLines(readFileSync(installation.logPath(role), 'utf8'));
}
