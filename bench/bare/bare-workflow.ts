import { proxyActivities } from '@temporalio/workflow';

const { doNothing } = proxyActivities<{ doNothing(): Promise<void> }>({ startToCloseTimeout: '1 minute' });

/** Runs three activities in turn: generate, finish, and one more, which a task of Kinora needs only after a failure. */
export async function bareWorkflow(): Promise<void> {
  await doNothing();
  await doNothing();
  await doNothing();
}
