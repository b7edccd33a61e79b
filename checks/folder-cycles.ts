import { posix } from 'node:path';

/** A source file and the files that it imports, types included. Paths are relative to the workspace, with `/`. */
export interface SourceFile {
  path: string;
  imports: readonly string[];
}

/** Children of one folder that import each other in a cycle. */
export interface FolderCycle {
  folder: string;
  /** One import between files per step of the cycle. */
  imports: readonly Import[];
}

interface Import {
  from: string;
  to: string;
}

/** Which child of a folder imports which other child, each with one import between files as an example. */
type Graph = Map<string, Map<string, Import>>;

/**
 * Finds import cycles between the children of a folder, for every folder within `root`. A child is a file or a
 * sub-folder, and a sub-folder imports whatever its files import. The smallest cycle is two files that import each
 * other. Two folders can form a cycle even if none of their files does; then neither can be understood without the
 * other.
 */
export function folderCycles(root: string, files: readonly SourceFile[]): FolderCycle[] {
  return [...folderGraphs(root, files)]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([folder, graph]) => cyclesOf(graph).map((imports) => ({ folder, imports })));
}

/** Counts the rooms of a folder, its files and sub-folders, and the arrows, the imports between two of them. */
export function countRooms(folder: string, files: readonly SourceFile[]): { rooms: number; arrows: number } {
  const inside = files.filter(({ path }) => path.startsWith(`${folder}/`));
  const rooms = new Set(inside.map(({ path }) => childOf(folder, path))).size;
  const graph: Graph = folderGraphs(folder, inside).get(folder) ?? new Map();
  return { rooms, arrows: [...graph.values()].reduce((sum, imported) => sum + imported.size, 0) };
}

function folderGraphs(root: string, files: readonly SourceFile[]): Map<string, Graph> {
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
  return graphs;
}

function commonFolder(one: string, other: string): string {
  let folder = posix.dirname(one);
  while (!other.startsWith(`${folder}/`)) folder = posix.dirname(folder);
  return folder;
}

function childOf(folder: string, path: string): string {
  return path.slice(folder.length + 1).replace(/\/.*$/, '');
}

/** Returns a shortest cycle through each child that is in one. Cycles of the same children are returned once. */
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

/** Searches breadth-first from a child back to itself. Returns the path: each child with its import of the next one. */
function shortestCycle(graph: Graph, start: string): Map<string, Import> | null {
  const seen = new Set<string>();
  let paths: { end: string; steps: Map<string, Import> }[] = [{ end: start, steps: new Map() }];
  while (paths.length > 0) {
    const longer: typeof paths = [];
    for (const { end, steps } of paths) {
      for (const [next, shown] of graph.get(end) ?? []) {
        const extended = new Map([...steps, [end, shown]]);
        if (next === start) return extended;
        if (seen.has(next)) continue;
        seen.add(next);
        longer.push({ end: next, steps: extended });
      }
    }
    paths = longer;
  }
  return null;
}
