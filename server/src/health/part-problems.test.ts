import { expect, it } from 'vitest';
import { explainPostgres, explainStore, explainTemporal } from './part-problems.ts';

const withCode = (code: string | number) => Object.assign(new Error('refused'), { code });
const withStatus = (httpStatusCode: number) => Object.assign(new Error('refused'), { $metadata: { httpStatusCode } });

it.each([
  ['an unknown database', explainPostgres(withCode('3D000')), 'KINORA_DATABASE_URL', 'no database of this name'],
  ['a wrong password', explainPostgres(withCode('28P01')), 'KINORA_DATABASE_URL', 'refuses the password'],
  ['a missing namespace', explainTemporal(withCode(5)), 'KINORA_TEMPORAL_NAMESPACE', 'no namespace of this name'],
  ['a wrong key of the store', explainStore(withStatus(403)), 'KINORA_S3_ACCESS_KEY_ID', 'refuses the access key'],
  ['a missing bucket', explainStore(withStatus(404)), 'KINORA_S3_BUCKET', 'no bucket of this name'],
  ['a store that is away', explainStore(withCode('ECONNREFUSED')), 'KINORA_S3_ENDPOINT', 'cannot be reached: refused'],
])('%s is named with its setting and its reason', (_, problem, setting, reason) => {
  expect(problem.settings).toContain(setting);
  expect(problem.reason).toContain(reason);
  expect(problem.remedy).not.toBe('');
});
