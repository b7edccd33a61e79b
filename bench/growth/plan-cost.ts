import { sum } from '../sum.ts';

/** A node of a plan in the JSON format of EXPLAIN (ANALYZE, BUFFERS). Rows are per loop, buffers are of all loops. */
export interface PlanNode {
  'Node Type': string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
  'Subplan Name'?: string;
  'CTE Name'?: string;
  Plans?: PlanNode[];
}

/** What statements cost, in units that do not depend on how busy the machine is. */
export interface Cost {
  /** Pages of 8 kB that were read, from the cache or from the disk. */
  buffers: number;
  /** Rows that were read from tables, whether or not a filter then removed them. */
  rows: number;
}

/** Below this, a figure counts as this: a few pages more or less say nothing. */
export const smallestJudged = 50;

/** The nodes that read tables; a bitmap index scan only finds the rows that the heap scan above it reads. */
const tableScans = new Set(['Seq Scan', 'Index Scan', 'Index Only Scan', 'Bitmap Heap Scan', 'Tid Scan']);

export function costOfPlan(root: PlanNode): Cost {
  const nodes = nodesOf(root);
  // The buffers of a node include those of its children. But a changing CTE that no node reads runs after the root has
  // ended, so the root does not include it.
  const namesRead = new Set(nodes.map((node) => `CTE ${node['CTE Name']}`));
  const afterwards = nodes.filter((node) => {
    const name = node['Subplan Name'];
    return node['Node Type'] === 'ModifyTable' && name?.startsWith('CTE ') && !namesRead.has(name);
  });
  return {
    buffers: sum([root, ...afterwards].map((node) => node['Shared Hit Blocks'] + node['Shared Read Blocks'])),
    rows: sum(nodes.map(rowsRead)),
  };
}

export function addCosts(costs: readonly Cost[]): Cost {
  return { buffers: sum(costs.map(({ buffers }) => buffers)), rows: sum(costs.map(({ rows }) => rows)) };
}

function rowsRead(node: PlanNode): number {
  if (!tableScans.has(node['Node Type'])) return 0;
  const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
  return (node['Actual Rows'] + removed) * node['Actual Loops'];
}

function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}
