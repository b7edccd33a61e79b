import { posix } from 'node:path';

/** A source file and the files that it imports, types included. Paths are relative to the workspace, with `/`. */
export interface SourceFile {
  path: string;
  imports: readonly string[];
}

/** Children of one folder that import each other in a circle. */
export interface FolderCycle {
  folder: string;
  /** One import per step of the circle, as it is in the files. */
  imports: readonly Import[];
}

interface Import {
  from: string;
  to: string;
}

/** The children of one folder: which child imports which, with one import that shows it. */
type Graph = Map<string, Map<string, Import>>;

/**
 * Finds circles between the children of a folder, for every folder within `root`. A child is a file or a sub-folder, and a
 * sub-folder imports what its files import. Two files that import each other are the smallest case; two folders can form a
 * circle although no file does, and then neither can be understood without the other.
 */
export function folderCycles(root: string, files: readonly SourceFile[]): FolderCycle[] {
  const graphs = new Map<string, Graph>();
  for (const { path, imports } of files) {
    for (const to of imports) {
      if (path === to || ![path, to].every((file) => file.startsWith(`${root}/`))) continue;
      const folder = commonFolder(path, to);
      const graph = graphs.get(folder) ?? new Map();
      graphs.set(folder, graph);
      const child = childOf(folder, path);
      const imported = graph.get(child) ?? new Map<string, Import>();
      graph.set(child, imported.set(childOf(folder, to), { from: path, to }));
    }
  }
  return [...graphs]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([folder, graph]) => cyclesOf(graph).map((imports) => ({ folder, imports })));
}

function commonFolder(one: string, other: string): string {
  let folder = posix.dirname(one);
  while (!other.startsWith(`${folder}/`)) folder = posix.dirname(folder);
  return folder;
}

function childOf(folder: string, path: string): string {
  return path.slice(folder.length + 1).replace(/\/.*$/, '');
}

/** A shortest circle through each child that is in one; circles of the same children are reported once. */
function cyclesOf(graph: Graph): Import[][] {
  const cycles = new Map<string, Import[]>();
  for (const child of [...graph.keys()].sort()) {
    const cycle = shortestCycle(graph, child);
    if (!cycle) continue;
    const members = [...cycle.keys()].sort().join(' ');
    if (!cycles.has(members)) cycles.set(members, [...cycle.values()]);
  }
  return [...cycles.values()];
}

/** Breadth first from a child back to itself: the children on the way with the import that leaves each. */
function shortestCycle(graph: Graph, start: string): Map<string, Import> | null {
  const seen = new Set<string>();
  let ways: { end: string; steps: Map<string, Import> }[] = [{ end: start, steps: new Map() }];
  while (ways.length > 0) {
    const longer: typeof ways = [];
    for (const { end, steps } of ways) {
      for (const [next, shown] of graph.get(end) ?? []) {
        const extended = new Map([...steps, [end, shown]]);
        if (next === start) return extended;
        if (seen.has(next)) continue;
        seen.add(next);
        longer.push({ end: next, steps: extended });
      }
    }
    ways = longer;
  }
  return null;
}
