import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parsePlanLog } from './parse-plan-log.ts';
import { addCosts, costOfPlan, type PlanNode } from './plan-cost.ts';

/** A piece of a log: the plan of the statement that takes a create, between entries of other processes. */
const recorded = readFileSync(join(import.meta.dirname, 'recorded-plan.txt'), 'utf8');

const node = (fields: Partial<PlanNode>): PlanNode => ({
  'Node Type': 'Append',
  'Actual Rows': 0,
  'Actual Loops': 1,
  'Shared Hit Blocks': 0,
  'Shared Read Blocks': 0,
  ...fields,
});

test('the log parser returns each plan with its application and statement, and skips other entries', () => {
  const plans = parsePlanLog(recorded);
  expect(plans).toHaveLength(1);
  expect(plans[0]?.application).toBe('kinora-api');
  expect(plans[0]?.statement).toContain('update project_slots set\n');
  expect(plans[0]?.root['Node Type']).toBe('CTE Scan');
});

test('the log parser finds plans that follow each other, also at the end of the log', () => {
  const entry = recorded.split('\n').slice(1, -2).join('\n');
  expect(parsePlanLog(`${entry}\n${entry}`)).toHaveLength(2);
});

test('the log parser skips an entry at the end of the log that is written only in part', () => {
  const entry = recorded.split('\n').slice(1, -2).join('\n');
  for (let length = 0; length < entry.length; length += 1) expect(parsePlanLog(entry.slice(0, length))).toEqual([]);
  expect(parsePlanLog(`${entry}\n${entry.slice(0, -1)}`)).toHaveLength(1);
});

test('the log parser objects to an entry that is not whole although another one follows', () => {
  const entry = recorded.split('\n').slice(1, -3).join('\n');
  expect(() => parsePlanLog(`${entry}\n[] LOG:  checkpoint starting: time\n`)).toThrow(SyntaxError);
});

test('the cost of a recorded plan includes the CTE that runs after the root has ended', () => {
  const [plan] = parsePlanLog(recorded);
  // 9 buffers of the root, with the CTE that it reads, and 6 of the insert; one row of each of two tables.
  expect(plan && costOfPlan(plan.root)).toEqual({ buffers: 15, rows: 2 });
});

test('rows that a filter or a recheck removed count as read, in every loop', () => {
  const scan = node({
    'Node Type': 'Index Scan',
    'Actual Rows': 2,
    'Actual Loops': 3,
    'Rows Removed by Filter': 5,
    'Rows Removed by Index Recheck': 1,
    'Shared Hit Blocks': 7,
    'Shared Read Blocks': 4,
  });
  const root = node({ 'Actual Rows': 6, 'Shared Hit Blocks': 7, 'Shared Read Blocks': 4, Plans: [scan] });
  expect(costOfPlan(root)).toEqual({ buffers: 11, rows: 24 });
});

test('a row that a bitmap index scan finds and a bitmap heap scan reads counts once', () => {
  const index = node({ 'Node Type': 'Bitmap Index Scan', 'Actual Rows': 9, 'Shared Hit Blocks': 2 });
  const heap = node({ 'Node Type': 'Bitmap Heap Scan', 'Actual Rows': 9, 'Shared Hit Blocks': 5, Plans: [index] });
  expect(costOfPlan(heap)).toEqual({ buffers: 5, rows: 9 });
});

test('costs of several statements add up', () => {
  expect(
    addCosts([
      { buffers: 1, rows: 10 },
      { buffers: 2, rows: 20 },
    ]),
  ).toEqual({ buffers: 3, rows: 30 });
});
