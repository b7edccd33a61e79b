import { isClock, type LintRule, type Node, type NodeOf, namesOf } from './lint-rule.ts';
import { traceValues } from './trace-value.ts';

const unseeded = /^(Math\.random|(crypto\.)?randomInt|(.*\.)?getRandomValues)$/;
/** What makes random numbers of its first argument. */
const generators = new Set(['randomFor', 'seededRandom']);

/** Refuses random choices that TEST_SEED cannot repeat. Random names and keys (`randomUUID`, `randomBytes`) are allowed. */
export const noUnseededRandom: LintRule = {
  meta: {
    type: 'problem',
    messages: {
      unseeded: 'Use randomFor of stack/src/harness/seeded-random.ts, so that TEST_SEED repeats the choice.',
    },
  },
  create({ sourceCode, report }) {
    const mayComeFrom = traceValues(sourceCode);
    /** Whether the value has the time in it. */
    const isTimed = (value: Node): boolean =>
      mayComeFrom(value, (source) => isClock(source) || isNow(source) || parts(source).some(isTimed));
    const judgeSeed = (name: Node, value: Node | null): void => {
      if (name.type === 'Identifier' && /seed$/i.test(name.name) && value && isTimed(value))
        report({ node: value, messageId: 'unseeded' });
    };
    return {
      CallExpression(node) {
        const name = namesOf(node.callee).join('.');
        const [purpose] = node.arguments;
        if (unseeded.test(name) || (generators.has(name) && purpose && isTimed(purpose)))
          report({ node, messageId: 'unseeded' });
      },
      VariableDeclarator: ({ id, init }) => judgeSeed(id, init),
      Property: ({ key, value }) => judgeSeed(key, value),
    };
  },
};

function isNow(node: Node): boolean {
  return node.type === 'NewExpression' && namesOf(node.callee)[0] === 'Date' && node.arguments.length === 0;
}

/** Returns the values that an expression computes with. */
function parts(node: Node): Node[] {
  if (node.type === 'BinaryExpression') return [node.left, node.right];
  if (node.type === 'TemplateLiteral') return node.expressions;
  if (node.type === 'NewExpression') return node.arguments;
  if (node.type !== 'CallExpression') return [];
  return [...node.arguments, ...objectOf(node)];
}

function objectOf({ callee }: NodeOf<'CallExpression'>): Node[] {
  return callee.type === 'MemberExpression' ? [callee.object] : [];
}
