import { noFixedSleep } from './no-fixed-sleep.ts';
import { noListOfParameters } from './no-list-of-parameters.ts';
import { noRealTime } from './no-real-time.ts';
import { noTimeJudgement } from './no-time-judgement.ts';
import { noUnseededRandom } from './no-unseeded-random.ts';

/** The plugin of oxlint with the rules of this repository; `.oxlintrc.json` says where they apply. */
export default {
  meta: { name: 'kinora' },
  rules: {
    'no-fixed-sleep': noFixedSleep,
    'no-list-of-parameters': noListOfParameters,
    'no-real-time': noRealTime,
    'no-time-judgement': noTimeJudgement,
    'no-unseeded-random': noUnseededRandom,
  },
};
