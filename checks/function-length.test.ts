import ts from 'typescript';
import { expect, test } from 'vitest';
import { projectFiles, readText } from './project-files.fixture.ts';

const mostLines = 60;

/** Returns the functions that have more lines of their own than a reader can hold; nested functions count for themselves. */
function longFunctions(path: string, text: string): string[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const lineOf = (position: number): number => file.getLineAndCharacterOfPosition(position).line;
  const linesOf = (node: ts.Node): number => lineOf(node.end) - lineOf(node.getStart(file)) + 1;
  const found: string[] = [];
  /** Returns how many lines of a node belong to functions within it. */
  const visit = (node: ts.Node): number => {
    let nested = 0;
    ts.forEachChild(node, (child) => {
      nested += visit(child);
    });
    if (!ts.isFunctionLike(node)) return nested;
    const lines = linesOf(node);
    if (lines - nested > mostLines)
      found.push(`${path}:${lineOf(node.getStart(file)) + 1} has ${lines - nested} lines`);
    return Math.max(0, lines - 1);
  };
  visit(file);
  return found;
}

test(`no function of the server has more than ${mostLines} lines of its own`, () => {
  const sources = projectFiles('server/src/*.ts').filter((path) => !/\.(test|fixture|contract)\.ts$/.test(path));
  expect(sources.length).toBeGreaterThan(300);
  expect(sources.flatMap((path) => longFunctions(path, readText(path)))).toEqual([]);
});

test('a nested function counts for itself', () => {
  const lines = (count: number): string => 'call();\n'.repeat(count);
  const outer = (own: number, nested: number): string =>
    `function outer() {\n${lines(own)}return () => {\n${lines(nested)}};\n}`;
  expect(longFunctions('a.ts', outer(50, 50))).toEqual([]);
  expect(longFunctions('a.ts', outer(59, 3))).toEqual(['a.ts:1 has 62 lines']);
  expect(longFunctions('a.ts', outer(3, 60))).toEqual(['a.ts:5 has 62 lines']);
});
