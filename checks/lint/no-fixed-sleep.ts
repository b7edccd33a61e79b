import { type LintRule, type Node, type NodeOf, namesOf } from './lint-rule.ts';
import { isNumber } from './no-time-judgement.ts';
import { traceValues } from './trace-value.ts';

const pauses = new Set(['pause', 'sleep']);
const loops = new Set(['ForStatement', 'ForOfStatement', 'ForInStatement', 'WhileStatement', 'DoWhileStatement']);

/** Refuses pauses of a fixed length in tests, after which a test would go on whether or not it may. A loop may pause. */
export const noFixedSleep: LintRule = {
  meta: {
    type: 'problem',
    messages: {
      sleep: 'A busy machine may need longer. Wait for a condition with expect.poll, eventually or a locator.',
    },
  },
  create({ sourceCode, report }) {
    const mayComeFrom = traceValues(sourceCode);
    return {
      CallExpression(node) {
        const names = namesOf(node.callee);
        const length = lengthOf(node, names);
        if (!length || (length.type === 'Literal' && length.value === 0) || isInLoop(node)) return;
        if (isNumber(mayComeFrom, length)) report({ node, messageId: 'sleep' });
      },
    };
  },
};

/** Returns how long the call pauses; null if it is no pause. */
function lengthOf(call: NodeOf<'CallExpression'>, names: string[]): Node | null {
  const [first = null, second = null] = call.arguments;
  const name = names.at(-1) ?? '';
  if (name === 'waitForTimeout') return first;
  if (name === 'setTimeout' && isExecutor(call.parent)) return second;
  return names.length === 1 && pauses.has(name) ? first : null;
}

/** Whether this is the function of a new promise: `new Promise((resolve) => setTimeout(resolve, 5))`. */
function isExecutor(node: Node): boolean {
  return (
    node.type === 'ArrowFunctionExpression' &&
    node.parent.type === 'NewExpression' &&
    namesOf(node.parent.callee)[0] === 'Promise'
  );
}

/** Whether the pause is part of a loop of the same function, which looks again after it. */
function isInLoop(node: Node): boolean {
  if (loops.has(node.type)) return true;
  if (!node.parent || (node.type.includes('Function') && !isExecutor(node))) return false;
  return isInLoop(node.parent);
}
