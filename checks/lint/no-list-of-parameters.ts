import { type LintRule, type Node, namesOf } from './lint-rule.ts';
import { traceValues } from './trace-value.ts';

/** Refuses `in` with a list of any length: each length is another statement, which every session plans and keeps. */
export const noListOfParameters: LintRule = {
  meta: {
    type: 'problem',
    messages: { list: "Every length is another statement. Compare with one array: '=', anyOf(ids)." },
  },
  create({ sourceCode, report }) {
    const mayComeFrom = traceValues(sourceCode);
    return {
      CallExpression(node) {
        const [, operator, values] = node.arguments;
        if (operator?.type !== 'Literal' || (operator.value !== 'in' && operator.value !== 'not in') || !values) return;
        if (!mayComeFrom(values, isQueryOrImported)) report({ node, messageId: 'list' });
      },
    };
  },
};

function isQueryOrImported(source: Node): boolean {
  return (
    source.type === 'Identifier' || (source.type === 'CallExpression' && namesOf(source.callee).includes('selectFrom'))
  );
}
