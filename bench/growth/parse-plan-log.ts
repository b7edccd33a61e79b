import type { PlanNode } from './plan-cost.ts';

/** The prefix of each entry in the log of Postgres: the application that the statement came from. */
export const logLinePrefix = '[%a] ';

/** One statement that Postgres has executed, as auto_explain logs it. */
export interface LoggedPlan {
  application: string;
  statement: string;
  root: PlanNode;
}

const firstLine = /^\[(.*?)\] LOG: {2}duration: [\d.]+ ms {2}plan:$/;

/** Returns the plans in a piece of the log of Postgres; other entries are skipped. */
export function parsePlanLog(log: string): LoggedPlan[] {
  const plans: LoggedPlan[] = [];
  const lines = log.split('\n');
  for (const [index, line] of lines.entries()) {
    const application = firstLine.exec(line)?.[1];
    if (application === undefined) continue;
    // Postgres starts each further line of an entry with a tab.
    const end = lines.findIndex((later, at) => at > index && !later.startsWith('\t'));
    const text = lines.slice(index + 1, end === -1 ? undefined : end).join('\n');
    // Postgres may still be writing the last entry. A whole entry ends with a brace that is not indented further.
    const isLast = end === -1 || end === lines.length - 1;
    if (isLast && !text.endsWith('\n\t}')) continue;
    const logged = JSON.parse(text) as { 'Query Text': string; Plan: PlanNode };
    plans.push({ application, statement: logged['Query Text'], root: logged.Plan });
  }
  return plans;
}
