import { isClock, type LintRule, namesOf } from './lint-rule.ts';

const timers = /^(globalThis\.)?(set(Timeout|Interval|Immediate)|AbortSignal\.timeout)$/;
const chance = /^((globalThis\.)?crypto\.)?(random(UUID|Bytes|FillSync|Fill|Int)|getRandomValues)$|^Math\.random$/;

/** Refuses time and chance that the simulation cannot repeat: what it runs takes both from `Clock` and `random`. */
export const noRealTime: LintRule = {
  meta: {
    type: 'problem',
    messages: {
      time: 'Use the Clock of the dependencies (server/src/domain/clock.ts): the simulation moves it.',
      chance: 'Use random of server/src/domain/random.ts: the simulation repeats its choices.',
    },
  },
  create({ report }) {
    return {
      CallExpression(node) {
        const name = namesOf(node.callee).join('.');
        if (timers.test(name) || isClock(node)) report({ node, messageId: 'time' });
        if (chance.test(name)) report({ node, messageId: 'chance' });
      },
      NewExpression(node) {
        if (namesOf(node.callee)[0] === 'Date' && node.arguments.length === 0) report({ node, messageId: 'time' });
      },
      ImportDeclaration(node) {
        if (/^(node:)?timers(\/promises)?$/.test(node.source.value)) report({ node, messageId: 'time' });
      },
    };
  },
};
