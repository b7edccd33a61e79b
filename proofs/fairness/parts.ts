import type { StubEngine } from '@kinora/stack/harness/stub-engine';
import type { Client } from 'pg';
import type { NewProject } from './fair-projects.ts';

/** Everything that the parts of this proof share. */
export interface Parts {
  engine: StubEngine;
  database: Client;
  newProject: NewProject;
  report: (line: string) => void;
}

export const slots = 4;
export const jobMilliseconds = 600;
/** (e) Long compared with the gap between two jobs of a slot. */
export const longJobMilliseconds = 3_000;
export const cap = 8;
