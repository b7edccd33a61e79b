import type { StubEngine } from '@kinora/stack/harness/stub-engine';
import type { Client } from 'pg';
import type { NewProject } from './fair-projects.ts';

/** What every run of this proof stands on. */
export interface Parts {
  engine: StubEngine;
  database: Client;
  newProject: NewProject;
  report: (line: string) => void;
}

export const slots = 4;
export const jobMilliseconds = 600;
/** (e) Long enough that what lies between two jobs of a slot is small beside it. */
export const longJobMilliseconds = 3_000;
export const cap = 8;
