import type { StubEngine } from '@kinora/stack/harness/stub-engine';
import type { Stack } from '@kinora/stack/parts/stack';
import type { Client } from 'pg';
import type { ProofOptions } from '../proof.ts';
import type { NewProject } from './fair-projects.ts';
import type { FairnessSize } from './fairness-size.ts';

/** Everything that the parts of this proof share. */
export interface Parts extends Pick<ProofOptions, 'tier' | 'random' | 'report'> {
  stack: Stack;
  size: FairnessSize;
  engine: StubEngine;
  database: Client;
  newProject: NewProject;
}

export const slots = 4;
/** (e) Long compared with the gap between two jobs of a slot. */
export const longJobMilliseconds = 3_000;
export const cap = 8;
