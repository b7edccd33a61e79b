import { type LintRule, namesOf } from './lint-rule.ts';

const unseeded = new Set(['Math.random', 'crypto.randomInt', 'randomInt']);

/** Refuses random choices that TEST_SEED cannot repeat. Random names and keys (`randomUUID`, `randomBytes`) are allowed. */
export const noUnseededRandom: LintRule = {
  meta: {
    type: 'problem',
    messages: {
      unseeded: 'Use randomFor of stack/src/harness/seeded-random.ts, so that TEST_SEED repeats the choice.',
    },
  },
  create: ({ report }) => ({
    CallExpression(node) {
      if (unseeded.has(namesOf(node.callee).join('.'))) report({ node, messageId: 'unseeded' });
    },
  }),
};
