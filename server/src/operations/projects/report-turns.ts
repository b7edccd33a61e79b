import type { Clock } from '../../domain/clock.ts';
import { createProjectTurns } from '../queue/project-turns.ts';

/** Two: with five connections for reports, no two projects can keep a third one waiting for long. */
const atOnce = 2;
/** A page of a console asks for a few lists at a time. More than this is a program without a limit of its own. */
const waiting = 20;

/** Lets each project run few lists, searches and usage queries at a time in this process. */
export function createReportTurns(dependencies: { clock: Clock }) {
  return createProjectTurns(dependencies, { atOnce, waiting, noun: 'lists, searches and usage queries' });
}
