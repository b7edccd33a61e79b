import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Installation, type RoleName, startInstallation } from '@kinora/stack/harness/installation';
import { type LogLine, readLogLines } from '@kinora/stack/harness/log-lines';
import type { ModelsFile } from '@kinora/stack/harness/models-file';
import { ampleLimits } from '@kinora/stack/harness/project-limits';
import { makeVideo } from '@kinora/stack/harness/sample-videos';
import { type StubEngine, startStubEngine } from '@kinora/stack/harness/stub-engine';
import { startTemporaryStack } from '@kinora/stack/parts/temporary-stack';
import { type CommandOutcome, commandOutcome } from './operator-command.ts';

/** The abilities of models that run on stub engines. A stub always returns a video of one second. */
export const stubShape = {
  types: ['text_to_video'],
  resolutions: ['480p'],
  aspect_ratios: ['1:1'],
  durations: { min: 1, max: 3 },
  fps: 16,
};

/** Returns a pool of stub engines, which use the protocol of the built-in engine. */
export const stubPool = (id: string, endpoints: Record<string, StubEngine>): ModelsFile['pools'][number] => ({
  id,
  engine: 'animatic',
  endpoints: Object.entries(endpoints).map(([name, { url }]) => ({ id: name, url })),
});

/** Renders a models file as JSON, which is valid YAML, with one field per line. */
export const render = (file: object): string => `${JSON.stringify(file, null, 2)}\n`;

/** Returns the number of the line, counted from 1, on which a part of the text begins. */
export function lineOf(text: string, part: string): number {
  const at = text.indexOf(part);
  if (at < 0) throw new Error(`there is no ${part} in the file`);
  return text.slice(0, at).split('\n').length;
}

export interface ModelsWorld {
  installation: Installation;
  /** Runs from the start. */
  fast: StubEngine;
  /** Refuses connections until it is revived. */
  away: StubEngine;
  /** Is not in the models file at first. */
  later: StubEngine;
  /** Replaces `later`. */
  successor: StubEngine;
  /** The models file that the installation was started with. */
  file: ModelsFile;
  write: (text: string) => Promise<void>;
  /** Runs `kinora-server` and returns its exit code and output, even if it fails. */
  command: (args: string[], environment?: Record<string, string>) => Promise<CommandOutcome>;
  close: () => Promise<void>;
}

/** Starts an installation with a models file of its own. Its engines are stubs and the built-in engine. */
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
