import { expect, it } from 'vitest';
import { createSharedDoctor } from './shared-doctor.ts';

it('one run of the doctor is under way at a time, and all who ask meanwhile get its report', async () => {
  const doctor = createSharedDoctor({ KINORA_PORT: 'eighty' });
  const [one, other] = await Promise.all([doctor(), doctor()]);
  expect(other).toBe(one);
  expect(one.results[0]).toMatchObject({ check: 'settings', verdict: 'failed' });
  expect(await doctor()).not.toBe(one);
});

it('a run that takes too long is reported as such', async () => {
  const away = {
    KINORA_DATABASE_URL: 'postgres://kinora@127.0.0.1:1/kinora',
    KINORA_TEMPORAL_ADDRESS: '127.0.0.1:1',
    KINORA_S3_ENDPOINT: 'http://127.0.0.1:1',
    KINORA_S3_ACCESS_KEY_ID: 'none',
    KINORA_S3_SECRET_ACCESS_KEY: 'none',
  };
  const doctor = createSharedDoctor({ ...away, KINORA_ENV: 'development' }, 0);
  await expect(doctor()).rejects.toThrow('The doctor did not finish in time.');
});
