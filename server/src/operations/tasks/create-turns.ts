import type { Clock } from '../../domain/clock.ts';
import { createProjectTurns } from '../queue/project-turns.ts';

/** Four: the creates of a project wait for its row in Postgres, each with a connection that others may need. */
const atOnce = 4;
/** 1,000: they have had their turn within some seconds. More than this is a program without a limit of its own. */
const waiting = 1_000;

/** Lets each project have few creates under way in this process, so that they do not take all of its connections. */
export function createCreateTurns(dependencies: { clock: Clock }) {
  return createProjectTurns(dependencies, { atOnce, waiting, noun: 'creates' });
}
