import { isClock, type LintRule, type Node, type NodeOf, namesOf } from './lint-rule.ts';
import { element, type MayComeFrom, returnsOf, traceValues } from './trace-value.ts';

const tests = new Set(['it', 'test', 'describe', 'beforeAll', 'beforeEach', 'afterAll', 'afterEach']);
/** They return a function that declares tests; their own arguments are no limits. */
const testFactories = new Set(['each', 'for', 'skipIf', 'runIf']);
/** Helpers whose first argument is the limit. */
const limitFirst = new Set(['becomesTrueWithin', 'setDefaultTimeout', 'setDefaultNavigationTimeout']);
/** Properties of `vi.setConfig` that are limits. */
const configuredLimits = ['testTimeout', 'hookTimeout', 'teardownTimeout'];
/** How Playwright waits. */
const browserWait = /^waitFor(Selector|Function|URL|Event|Request|Response|LoadState)?$/;
const pauses = new Set(['pause', 'sleep', 'delay', 'setTimeout']);
const comparisons = new Set(['<', '<=', '>', '>=']);
const arithmetic = new Set(['+', '-', '*', '/', '%', '**']);
const nameOfDuration = /(days?|hours?|minutes?|seconds)$/i;

/**
 * Refuses what would let the speed of the machine decide: an expectation on elapsed time, and a limit other than
 * `hangLimitMilliseconds`. Limits that are inputs of the code under test, and clocks that a test moves, are allowed.
 */
export const noTimeJudgement: LintRule = {
  meta: {
    type: 'problem',
    messages: {
      elapsed:
        'How long something took depends on the machine. Expect an order, a count or work done, or measure it at night in a *.measure.ts file.',
      limit: 'A limit only ends what hangs. Remove it, or pass hangLimitMilliseconds of stack/src/hang-limit.ts.',
      ownLimit: '{{name}} gives up after 1 s by default. Use expect.poll or eventually, which only end what hangs.',
    },
  },
  create({ sourceCode, report }) {
    const mayComeFrom = traceValues(sourceCode);
    const time = judgeTime(mayComeFrom);
    const judged: Node[] = [];
    const fakes: Node[] = [];
    return {
      CallExpression(node) {
        const names = namesOf(node.callee);
        const name = names.join('.');
        if (name === 'vi.useFakeTimers') fakes.push(node);
        if (name === 'vi.waitFor' || name === 'vi.waitUntil')
          return report({ node, messageId: 'ownLimit', data: { name } });
        if (
          limitsOf(node, names).some(([limit, path]) => isNumber(mayComeFrom, limit, path)) ||
          isRace(mayComeFrom, node)
        )
          return report({ node, messageId: 'limit' });
        if (isJudged(node, names, time)) judged.push(node);
      },
      'Program:exit'() {
        // Fake timers replace the clocks of their test, or of every test if a hook or a helper starts them.
        const testsWithFakes = new Set(fakes.map(testAround));
        if (testsWithFakes.has(null)) return;
        for (const node of judged) if (!testsWithFakes.has(testAround(node))) report({ node, messageId: 'elapsed' });
      },
    };
  },
};

/** Returns the call of `it` or `test` that the node is part of. */
function testAround(node: Node): Node | null {
  if (node.type === 'CallExpression' && ['it', 'test'].includes(namesOf(node.callee)[0] ?? '')) return node;
  return node.parent ? testAround(node.parent) : null;
}

/** Returns where a call has its limit: an argument, or a property of an argument. */
function limitsOf({ arguments: given }: NodeOf<'CallExpression'>, names: string[]): [Node, string[]][] {
  const last = names.at(-1) ?? '';
  const timeouts = given.map((argument): [Node, string[]] => [argument, ['timeout']]);
  const argument = (index: number, ...path: string[]): [Node, string[]][] =>
    given[index] ? [[given[index], path]] : [];
  // Of a socket, a request or a test; the global function has its callback first.
  if (names.join('.') === 'AbortSignal.timeout' || (names.length > 1 && last === 'setTimeout')) return argument(0);
  if (names.join('.') === 'vi.setConfig') return configuredLimits.flatMap((name) => argument(0, name));
  if (tests.has(names[0] ?? ''))
    return testFactories.has(last)
      ? []
      : [...timeouts, ...given.slice(1).map((value): [Node, string[]] => [value, []])];
  if (names.join('.') === 'expect.poll' || (names.length > 1 && browserWait.test(last))) return timeouts;
  if (limitFirst.has(last)) return argument(0);
  return last === 'eventually' ? argument(2, 'timeoutMilliseconds') : [];
}

/** Returns whether a limit is a number that somebody chose; a multiple of the hang limit is not. */
export function isNumber(mayComeFrom: MayComeFrom, limit: Node, path: string[] = []): boolean {
  const isFixed = (node: Node): boolean => isNumber(mayComeFrom, node);
  const isHangLimit = (node: Node): boolean =>
    mayComeFrom(node, (source) => source.type === 'Identifier' && source.name === 'hangLimitMilliseconds');
  return mayComeFrom(
    limit,
    (node) => {
      if (node.type === 'Literal') return typeof node.value === 'number';
      if (node.type === 'BinaryExpression') {
        // A factor of 1000 converts seconds to milliseconds.
        const parts = [node.left, node.right].filter((part) => part.type !== 'Literal' || part.value !== 1000);
        return parts.some(isFixed) && !parts.some(isHangLimit);
      }
      return node.type === 'CallExpression' && namesOf(node.callee)[0] === 'Math' && node.arguments.some(isFixed);
    },
    path,
  );
}

/** Returns whether a call lets something race with a pause of a fixed length. */
function isRace(mayComeFrom: MayComeFrom, { callee, arguments: [runners] }: NodeOf<'CallExpression'>): boolean {
  const isPause = (node: Node): boolean => {
    if (node.type !== 'CallExpression' || isAfterEvent(node)) return false;
    if (node.callee.type === 'MemberExpression' && isPause(node.callee.object)) return true;
    return (
      pauses.has(namesOf(node.callee).at(-1) ?? '') && node.arguments.some((value) => isNumber(mayComeFrom, value))
    );
  };
  return namesOf(callee).join('.') === 'Promise.race' && !!runners && mayComeFrom(runners, isPause, [element]);
}

/** Returns whether a call is the whole callback of a promise: such a pause begins when something has happened. */
function isAfterEvent({ parent }: NodeOf<'CallExpression'>): boolean {
  const call = parent.type === 'ArrowFunctionExpression' ? parent.parent : null;
  return call?.type === 'CallExpression' && namesOf(call.callee).at(-1) === 'then';
}

function operands({ left, right }: NodeOf<'BinaryExpression'>, isSo: (node: Node) => boolean): boolean {
  return isSo(left) || isSo(right);
}

interface Time {
  /** Whether the value is the time between two moments, or compares moments with each other. */
  isElapsed: (node: Node) => boolean;
  /** Whether the two are a moment, and a moment that is so much later or earlier. */
  isDeadline: (one: Node, other: Node) => boolean;
}

/** Returns whether a call expects or asserts something about elapsed time. */
function isJudged(call: NodeOf<'CallExpression'>, names: string[], { isElapsed, isDeadline }: Time): boolean {
  if (names[0] === 'assert') return call.arguments.some(isElapsed);
  if (names[0] !== 'expect') return false;
  const expected = names.includes('') ? expectationOf(call.callee) : null;
  if (expected && isElapsed(expected)) return false; // the call of `expect` itself is reported
  const values = call.arguments.flatMap((value) => [value, ...returnsOf(value)]);
  return values.some((value) => isElapsed(value) || (!!expected && isDeadline(expected, value)));
}

/** Returns what `expect` was called with, from the callee of its matcher. */
function expectationOf(callee: Node): Node | null {
  if (callee.type === 'MemberExpression') return expectationOf(callee.object);
  return callee.type === 'CallExpression' ? (callee.arguments[0] ?? null) : null;
}

function judgeTime(mayComeFrom: MayComeFrom): Time {
  const isMoment = (node: Node): boolean =>
    mayComeFrom(node, (source) => {
      if (isClock(source)) return true;
      if (source.type === 'BinaryExpression') return operands(source, isMoment) && !isElapsed(source);
      if (source.type === 'NewExpression' && namesOf(source.callee)[0] === 'Date')
        return source.arguments.length === 0 || source.arguments.some(isMoment);
      return source.type === 'CallExpression' && isConversion(source, isMoment);
    });
  const isMoved = (node: Node): boolean =>
    mayComeFrom(
      node,
      (source) =>
        source.type === 'BinaryExpression' &&
        (source.operator === '+' || source.operator === '-') &&
        operands(source, isMoment),
    );
  const isDuration = (node: Node): boolean => {
    if (node.type === 'BinaryExpression') return operands(node, isDuration);
    return nameOfDuration.test(namesOf(node).at(-1) ?? '') || isNumber(mayComeFrom, node);
  };
  const isDeadline = (one: Node, other: Node): boolean =>
    isMoment(one) && isMoment(other) && (isMoved(one) || isMoved(other));
  const isElapsed = (node: Node): boolean =>
    mayComeFrom(node, (source) => {
      if (source.type === 'UnaryExpression') return isElapsed(source.argument);
      if (source.type === 'SpreadElement') return mayComeFrom(source.argument, isElapsed, [element]);
      if (source.type === 'CallExpression') return isElapsedCall(source);
      if (source.type !== 'BinaryExpression') return false;
      const { operator, left, right } = source;
      if (operator === '-' && (isMoment(right) || (isMoment(left) && !isDuration(right)))) return true;
      if (comparisons.has(operator) && isDeadline(left, right)) return true;
      return (comparisons.has(operator) || arithmetic.has(operator)) && operands(source, isElapsed);
    });
  const isElapsedCall = (call: NodeOf<'CallExpression'>): boolean => {
    const names = namesOf(call.callee);
    if (names.join('.') === 'process.hrtime') return call.arguments.length > 0;
    return call.arguments.some((value) => isElapsed(value) || mayComeFrom(value, isElapsed, [element]));
  };
  return { isElapsed, isDeadline };
}

/** Returns whether a call only converts or rounds such a value. */
function isConversion(
  { callee, arguments: given }: NodeOf<'CallExpression'>,
  isSuch: (node: Node) => boolean,
): boolean {
  const names = namesOf(callee);
  if (['Math', 'Number', 'BigInt'].includes(names[0] ?? '')) return given.some(isSuch);
  return (
    callee.type === 'MemberExpression' && ['getTime', 'valueOf'].includes(names.at(-1) ?? '') && isSuch(callee.object)
  );
}
