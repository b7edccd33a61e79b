import type { RuleTester } from 'oxlint/plugins-dev';

// oxlint exports only the types of its tester, so those of rules are derived from them.
export type LintRule = Exclude<Parameters<RuleTester['run']>[1], { createOnce: unknown }>;
export type SourceCode = Parameters<LintRule['create']>[0]['sourceCode'];
export type Node = Parameters<SourceCode['getScope']>[0];
export type NodeOf<Type extends Node['type']> = Extract<Node, { type: Type }>;

/** Returns the names of a callee: `vi.waitFor` gives vi and waitFor, `it.each(table)` gives it, each and an empty name. */
export function namesOf(callee: Node): string[] {
  if (callee.type === 'Identifier') return [callee.name];
  if (callee.type === 'MemberExpression')
    return [...namesOf(callee.object), callee.property.type === 'Identifier' ? callee.property.name : ''];
  if (callee.type === 'CallExpression') return [...namesOf(callee.callee), ''];
  return callee.type === 'ChainExpression' ? namesOf(callee.expression) : [''];
}

/** Whether the node reads a clock. */
export function isClock(node: Node): boolean {
  if (node.type !== 'CallExpression') return false;
  return /^(globalThis\.)?(performance\.now|Date\.now|process\.hrtime(\.bigint)?)$/.test(
    namesOf(node.callee).join('.'),
  );
}
