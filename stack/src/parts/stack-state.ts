import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export type PartName = 'postgres' | 'temporal' | 's3';
export const partNames: PartName[] = ['postgres', 'temporal', 's3'];

/** What a stack remembers in its stack.json. */
export interface StackState {
  basePort: number;
  pids: Partial<Record<PartName, number>>;
  accessKeyId: string;
  secretAccessKey: string;
  /** The Temporal release whose schema is completely in the database; null until then. */
  temporalSchema: string | null;
}

/** A mistake of the person or a fault of the machine that one sentence explains; shown without a stack trace. */
export class StackError extends Error {}

const repository = join(import.meta.dirname, '../../..');
export const stacksFolder = join(repository, '.stack');

/** Where a stack keeps everything it has. */
export function stackFolder(name: string): string {
  if (!/^[a-z0-9][a-z0-9-]{0,39}$/.test(name)) {
    throw new StackError(`"${name}" is no name for a stack; use lower-case letters, digits and dashes, 40 at most`);
  }
  return join(stacksFolder, name);
}

/** The path of an installed program. */
export function toolPath(program: string): string {
  const path = join(repository, '.tools/bin', program);
  if (!existsSync(path)) throw new StackError(`${program} is missing in .tools/bin; run scripts/setup first`);
  return path;
}

/** The version of an installed program that scripts/setup has built. */
export function toolVersion(program: string): string {
  return readFileSync(join(repository, '.tools/go', `${program}.version`), 'utf8').trim();
}

/** What the stack in this folder remembers, or null when there is none. */
export function readState(folder: string): StackState | null {
  const path = join(folder, 'stack.json');
  // Only this file writes it, and always as a whole.
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as StackState) : null;
}

/** Makes the folder of a new stack, with keys of its own for the S3 server. */
export function createState(folder: string, basePort: number): StackState {
  mkdirSync(folder, { recursive: true });
  const state: StackState = {
    basePort,
    pids: {},
    accessKeyId: `kinora${randomBytes(7).toString('hex')}`,
    secretAccessKey: randomBytes(20).toString('hex'),
    temporalSchema: null,
  };
  writeState(folder, state);
  return state;
}

/** Changes what the stack remembers. Read, change and write happen in one go, so parts may start side by side. */
export function updateState(folder: string, change: (state: StackState) => void): void {
  const state = readState(folder);
  if (!state) throw new StackError('this stack has been wiped meanwhile');
  change(state);
  writeState(folder, state);
}

function writeState(folder: string, state: StackState): void {
  const path = join(folder, 'stack.json');
  writeFileSync(`${path}.new`, `${JSON.stringify(state, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}
