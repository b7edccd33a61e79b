import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export type PartName = 'postgres' | 'temporal' | 's3';
export const partNames: PartName[] = ['postgres', 'temporal', 's3'];

/** The contents of a stack's stack.json. */
export interface StackState {
  basePort: number;
  pids: Partial<Record<PartName, number>>;
  accessKeyId: string;
  secretAccessKey: string;
  /** The Temporal release whose schema is in the database; null until the schema is complete. */
  temporalSchema: string | null;
}

/** A mistake of the user or a problem of the machine; the command prints its message without a stack trace. */
export class StackError extends Error {}

const repository = join(import.meta.dirname, '../../..');
export const stacksFolder = join(repository, '.stack');

/** Returns the folder that holds all data of a stack. */
export function stackFolder(name: string): string {
  if (!/^[a-z0-9][a-z0-9-]{0,39}$/.test(name)) {
    throw new StackError(
      `"${name}" is not a valid name for a stack; use at most 40 lower-case letters, digits and dashes`,
    );
  }
  return join(stacksFolder, name);
}

/** Returns the path of an installed program. The part of scripts/setup that installs it is the core unless it is named. */
export function toolPath(program: string, part = 'core'): string {
  const path = join(repository, '.tools/bin', program);
  if (!existsSync(path)) throw new StackError(`${program} is missing in .tools/bin; run scripts/setup ${part} first`);
  return path;
}

/** Returns the version of a program that scripts/setup has built. */
export function toolVersion(program: string): string {
  return readFileSync(join(repository, '.tools/go', `${program}.version`), 'utf8').trim();
}

/** Returns the state of the stack in this folder, or null if there is no stack. */
export function readState(folder: string): StackState | null {
  const path = join(folder, 'stack.json');
  // Only writeState writes this file, and it replaces the file as a whole.
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as StackState) : null;
}

/** Creates the folder and the state of a new stack, with new keys for the S3 server. */
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

/** Changes the state of a stack. It reads, changes and writes synchronously, so parts can start in parallel. */
export function updateState(folder: string, change: (state: StackState) => void): void {
  const state = readState(folder);
  if (!state) throw new StackError('another command has wiped this stack');
  change(state);
  writeState(folder, state);
}

function writeState(folder: string, state: StackState): void {
  const path = join(folder, 'stack.json');
  writeFileSync(`${path}.new`, `${JSON.stringify(state, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}
