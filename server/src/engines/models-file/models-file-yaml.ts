import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml';

/** The names and indexes that lead to a place in the file. */
export type FilePath = readonly (string | number)[];

/** Something to change in the file. */
export interface FileProblem {
  path: FilePath;
  /** A sentence that says what to change. */
  text: string;
}

export interface YamlFile {
  value: unknown;
  /** Problems of the YAML itself, each with its line. */
  problems: readonly { line: number; text: string }[];
  /** Returns the line of a place, or of the nearest enclosing place that exists. */
  lineOf(path: FilePath): number;
}

/** Parses YAML and remembers the lines of its places. */
export function readYaml(text: string): YamlFile {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: true });
  const problems = [...document.errors, ...document.warnings].map(({ pos, message }) => ({
    line: lines.linePos(pos[0]).line,
    text: `${message.split('\n')[0]}.`.replace(/[.:]+$/, '.'),
  }));
  return {
    value: problems.length > 0 ? null : document.toJS(),
    problems,
    lineOf: (path) => lines.linePos(offsetOf(document.contents, path)).line,
  };
}

function offsetOf(root: unknown, path: FilePath): number {
  let node = root;
  let offset = startOf(root) ?? 0;
  for (const step of path) {
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(step));
      if (!pair) break;
      offset = startOf(pair.key) ?? offset;
      node = pair.value;
    } else if (isSeq(node)) {
      node = node.items[Number(step)];
      offset = startOf(node) ?? offset;
    } else break;
  }
  return offset;
}

function startOf(node: unknown): number | null {
  return (node as Node | null | undefined)?.range?.[0] ?? null; // everything in a document is a node
}
