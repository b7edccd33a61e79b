import { type ApiClient, createApiClient } from '@kinora/stack/harness/api-client';
import type { Installation, RoleName } from '@kinora/stack/harness/installation';
import { openDatabase } from '@kinora/stack/harness/open-database';
import type { Client } from 'pg';
import type { BenchOptions } from '../bench-outcome.ts';
import type { BenchStack } from '../bench-stack.ts';

/** What every part of the bench measures: an installation of what production runs, at first without any role. */
export interface FootprintWorld extends Omit<BenchOptions, 'minutes'>, Pick<BenchStack, 'stack'> {
  installation: Installation;
}

/** Starts roles on a fresh database; `cleanup` stops them. */
export async function startRoles(
  { installation, openStack }: FootprintWorld,
  roles: readonly RoleName[],
  environment: Record<string, string>,
  cleanup: AsyncDisposableStack,
): Promise<{ database: Client; owner: ApiClient }> {
  const database = cleanup.use(await openDatabase((await openStack()).stack));
  for (const role of roles) {
    await installation.start(role, environment);
    cleanup.defer(() => installation.stop(role));
  }
  return { database, owner: createApiClient({ url: installation.url, key: installation.liveKey }) };
}
