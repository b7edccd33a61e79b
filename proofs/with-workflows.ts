import { hangLimitMilliseconds } from '@kinora/stack/hang-limit';
import type { Stack } from '@kinora/stack/parts/stack';
import { Client, Connection, type WorkflowClient } from '@temporalio/client';

/** Calls `work` with a client of Temporal's workflows and closes the connection afterwards. */
export async function withWorkflows<T>(
  { info }: Stack,
  work: (workflow: WorkflowClient, connection: Connection) => Promise<T>,
): Promise<T> {
  const connection = await Connection.connect({ address: info.temporalAddress, connectTimeout: hangLimitMilliseconds });
  try {
    return await work(new Client({ connection, namespace: info.temporalNamespace }).workflow, connection);
  } finally {
    await connection.close();
  }
}
