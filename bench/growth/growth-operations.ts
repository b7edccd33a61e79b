import { type ApiClient, bodyOrThrow } from '@kinora/stack/harness/api-client';
import type { Installation } from '@kinora/stack/harness/installation';
import { taskIdOf } from '@kinora/stack/harness/task-id';
import type { Client } from 'pg';

/** One thing that the service does, measured by itself. */
export interface Operation {
  name: string;
  /** Chooses what the operation works on; this is not measured. */
  prepare?: () => Promise<string>;
  run: (prepared: string) => Promise<unknown>;
  /** Whether requests or tasks wait for it, so that it must not become more expensive with the backlog. */
  isHot?: true;
  /** Whether it runs in a process of its own, which a round before cannot warm up. */
  isCommand?: true;
}

interface Parts {
  installation: Installation;
  database: Client;
  /** A client of the project with most waiting tasks, which may run one task and does. */
  busy: ApiClient;
  /** The UUID of that project. */
  busyProject: string;
  /** A client of a project without waiting tasks, and its name. */
  roomy: ApiClient;
  roomyName: string;
  /** The id of a key of the busy project that no task was created with. */
  unusedKeyId: string;
}

/** Every task of the bench. */
export const request = { prompt: 'A paper boat drifts down a rain-soaked street', resolution: '480p' };

/** Returns the operations in the order in which a round runs them. */
export function growthOperations(parts: Parts): Operation[] {
  const { installation, busy, roomy, unusedKeyId } = parts;
  const fifteenDaysAgo = Math.floor(Date.now() / 1000) - 15 * 86_400;
  /** Most of them match nothing. */
  const filters = {
    'status queued': 'status=queued',
    'status failed': 'status=failed',
    type: 'type=image_to_video',
    model: 'model=none',
    resolution: 'resolution=1080p',
    'aspect ratio': 'aspect_ratio=21:9',
    key: `key_id=${unusedKeyId}`,
    'one hour': `created_after=${fifteenDaysAgo}&created_before=${fifteenDaysAgo + 3_600}`,
  };
  const list = async (query: string) => bodyOrThrow(await busy.get<object>(`/v1/videos?${query}`));
  const usage = async (query: string) => bodyOrThrow(await busy.get<object>(`/v1/usage?${query}`));
  return [
    { name: 'create without room', isHot: true, run: () => busy.create(request) },
    // The planner expects as many waiting tasks as there is room.
    ...Object.entries({ 'create with room': 1, 'create with much room': 50 }).map(([name, room]) => ({
      name,
      isHot: true as const,
      prepare: () => makeRoom(parts, room),
      run: () => roomy.create(request),
    })),
    ...Object.entries({ head: 0, '500th': 499, last: null }).map(([place, offset]) => ({
      name: `read queued, ${place}`,
      isHot: true as const,
      prepare: () => findWaiting(parts, offset),
      run: (taskId: string) => busy.read(taskId),
    })),
    {
      name: 'end and admit the next',
      isHot: true,
      prepare: () => findAdmitted(parts),
      run: (taskId) => busy.cancel(taskId),
    },
    {
      name: 'end',
      isHot: true,
      prepare: () => findWaiting(parts, null),
      run: (taskId) => busy.cancel(taskId),
    },
    { name: 'list newest', isHot: true, run: () => list('') },
    ...Object.entries(filters).map(([name, query]) => ({
      name: `list, ${name}`,
      isHot: true as const,
      run: () => list(query),
    })),
    { name: 'search', isHot: true, run: () => list('q=xylophone') },
    { name: 'search, a common word', isHot: true, run: () => list('q=paper') },
    { name: 'usage of 30 days', run: () => usage('') },
    {
      name: 'usage of 400 hours',
      run: () => usage(`bucket=hour&start=${Math.floor(Date.now() / 1000) - 399 * 3_600}`),
    },
    { name: 'usage of 400 days', run: () => usage(`start=${Math.floor(Date.now() / 1000) - 399 * 86_400}`) },
    { name: 'reconcile', isCommand: true, run: () => installation.command('reconcile', '--dry-run') },
  ];
}

/** Lets the project without waiting tasks run as many tasks more. */
async function makeRoom({ database, roomyName }: Parts, room: number): Promise<string> {
  await database.query(
    'update project_slots set cap = running + $1::int from projects where projects.id = project_id and name = $2',
    [room, roomyName],
  );
  return '';
}

/** Returns the id of the waiting task at this place of the busy project's queue; null means the last place. */
async function findWaiting({ database, busyProject }: Parts, offset: number | null): Promise<string> {
  const { rows } = await database.query<{ id: string }>(
    `select id from open_tasks where project_id = $1 and livemode and status = 'queued' and admitted_at is null
     order by ${offset === null ? 'priority desc, id desc' : 'priority, id'} limit 1 offset ${offset ?? 0}`,
    [busyProject],
  );
  return taskIdOf(only(rows));
}

async function findAdmitted({ database, busyProject }: Parts): Promise<string> {
  const { rows } = await database.query<{ id: string }>(
    `select id from open_tasks where project_id = $1 and livemode and status = 'queued' and admitted_at is not null`,
    [busyProject],
  );
  return taskIdOf(only(rows));
}

function only(rows: readonly { id: string }[]): string {
  const [row] = rows;
  if (!row) throw new Error('the seeded tables have no such task');
  return row.id;
}
