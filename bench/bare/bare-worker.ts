// The least that a durable task can cost: a Temporal worker with one workflow of three activities that return at once.
// The benches compare Kinora with it. Takes an address, a namespace and a task queue as arguments, prints "polling" and
// works until SIGTERM.
import { join } from 'node:path';
import { NativeConnection, Runtime, Worker } from '@temporalio/worker';

const [address = '', namespace = '', taskQueue = ''] = process.argv.slice(2);

// The SDK logs little at this level, like Kinora's worker. By default it shuts its workers down on SIGTERM.
Runtime.install({ telemetryOptions: { logging: { filter: { core: 'WARN', other: 'ERROR' }, forward: {} } } });
const connection = await NativeConnection.connect({ address });
const worker = await Worker.create({
  connection,
  namespace,
  taskQueue,
  workflowsPath: join(import.meta.dirname, 'bare-workflow.ts'),
  activities: { doNothing: async () => undefined },
});
const ended = worker.run();
console.log('polling');
await ended;
await connection.close();
