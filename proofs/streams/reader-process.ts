import { get } from 'node:http';
import type { Arrival, StreamPlan, StreamRecord } from './streams-evidence.ts';

// The streams are read in a separate process, so that reading two thousand of them does not delay what is measured.

/** How many streams are opened at once. */
const lanes = 40;

const records = new Map<number, StreamRecord>();

process.on('message', (message: { kind: 'open'; plans: StreamPlan[] } | { kind: 'collect' }) => {
  if (message.kind === 'open') void openAll(message.plans);
  else process.send?.({ kind: 'collected', streams: [...records.values()] }, () => process.exit(0));
});
process.once('disconnect', () => process.exit(0));

async function openAll(plans: StreamPlan[]): Promise<void> {
  const lane = async (): Promise<void> => {
    for (let plan = plans.shift(); plan; plan = plans.shift()) await open(plan);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  process.send?.({ kind: 'opened' });
}

/** Opens a stream; resolves when its first message arrives, or when it is refused. */
function open(plan: StreamPlan): Promise<void> {
  const record: StreamRecord = { ...plan, responseStatus: 0, arrivals: [], hasEnded: false, keepAlives: 0 };
  records.set(plan.number, record);
  return new Promise((resolve) => {
    const request = get(plan.url, { agent: false, headers: plan.headers }, (response) => {
      record.responseStatus = response.statusCode ?? 0;
      let rest = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        const at = Date.now();
        const blocks = (rest + chunk).split('\n\n');
        rest = blocks.pop() ?? '';
        for (const block of blocks) addArrival(record, block, at);
        const isOpen = plan.kind === 'project' || record.arrivals.length > 0;
        if (isOpen) resolve();
        if (isComplete(record)) reportComplete(record);
      });
      response.on('end', () => {
        record.hasEnded = true;
        if (isComplete(record)) reportComplete(record);
        resolve();
      });
      response.on('error', () => resolve());
    });
    request.on('error', () => resolve());
  });
}

function addArrival(record: StreamRecord, block: string, at: number): void {
  const field = (name: string): string | null => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1] ?? null;
  const data = field('data');
  if (data === null) {
    if (block.includes('keep-alive')) record.keepAlives += 1;
    return;
  }
  // The data is the task itself, or an event that contains the task.
  const body = JSON.parse(data) as TaskBody & { data?: TaskBody };
  const { task_id: taskId, status } = body.data ?? body;
  const arrival: Arrival = { event: field('event') ?? '', id: field('id'), taskId, status, at };
  record.arrivals.push(arrival);
}

interface TaskBody {
  task_id: string;
  status: string;
}

function isComplete({ kind, hasEnded, arrivals, taskIds }: StreamRecord): boolean {
  if (kind === 'task') return hasEnded;
  return (
    new Set(arrivals.filter(({ event }) => event === 'video.cancelled').map(({ taskId }) => taskId)).size ===
    taskIds.length
  );
}

const complete = new Set<number>();
function reportComplete({ number }: StreamRecord): void {
  if (complete.has(number)) return;
  complete.add(number);
  if (complete.size === records.size) process.send?.({ kind: 'complete' });
}
