import { bearer, createApiClient } from '@kinora/stack/harness/api-client';
import { insertProject } from '@kinora/stack/harness/insert-project';
import { startInstallation } from '@kinora/stack/harness/installation';
import { openDatabase } from '@kinora/stack/harness/open-database';
import { startStack } from '@kinora/stack/parts/stack';
import { alternate } from './alternate.ts';
import { httpContestant } from './http-contestant.ts';
import { backendsOf, program } from './process-groups.ts';
import { tableOf } from './show-measured.ts';
import { startBareServer } from './bare/start-bare-server.ts';
const [what = 'read', prof = ''] = process.argv.slice(2);
const stack = await startStack({ name: 'test' });
const installation = await startInstallation({
  stack, roles: ['api'], limits: { running: 3, creates: 100_000, reads: 10_000_000 },
  environment: prof ? { NODE_OPTIONS: `--cpu-prof --cpu-prof-interval=200 --cpu-prof-dir=${prof}` } : {},
});
const database = await openDatabase(stack);
const owner = createApiClient({ url: installation.url, key: installation.liveKey });
const groups = [program('api', () => installation.process('api')?.pid), backendsOf('kinora', () => stack.pid('postgres'))];
const body = JSON.stringify({ prompt: 'A paper boat drifts down a rain-soaked street', resolution: '480p' });
const list = [];
const bare = await startBareServer(stack);
const N = Number(process.env['N'] ?? 1500), W = Number(process.env['W'] ?? 3000), R = Number(process.env['R'] ?? 3);
if (what.includes('create')) {
  const keys: string[] = [];
  for (let n = 0; n < 64; n += 1) keys.push(await insertProject(owner, database, { name: `p${n}`, running: 0 }));
  list.push(httpContestant({ name: 'create', groups, url: installation.url, requestOf: (n: number) => ({ method: 'POST' as const, path: '/v1/videos/text-to-video', headers: bearer(keys[n % 64] ?? ''), body }) }, { warmUpRequests: W, requests: N }));
  list.push(httpContestant({ name: 'create idem', groups, url: installation.url, requestOf: (n: number) => ({ method: 'POST' as const, path: '/v1/videos/text-to-video', headers: { ...bearer(keys[n % 64] ?? ''), 'idempotency-key': crypto.randomUUID() }, body }) }, { warmUpRequests: W, requests: N }));
  list.push(httpContestant({ ...bare, name: 'bare create', requestOf: () => ({ method: 'POST' as const, path: '/tasks', headers: bare.headers, body }) }, { warmUpRequests: 8000, requests: 3000 }));
}
if (what.includes('read')) {
  const a = (await owner.create(JSON.parse(body))).task_id, b = (await owner.create(JSON.parse(body))).task_id;
  const uuid = async (id: string) => (await database.query<{ id: string }>(`select id from tasks order by created_at desc limit 2`)).rows[id === b ? 0 : 1]?.id;
  const video = { objectKey: 'a/b.mp4', thumbnailKey: 'a/b.jpg', spritesheetKey: 'a/c.jpg', contentType: 'video/mp4', width: 854, height: 480, rendered: { width: 854, height: 480 }, fps: 24, frameCount: 120, durationSeconds: 5, sizeBytes: 1234, sha256: 'a'.repeat(64), hasAudio: false };
  await database.query(`update tasks set status = 'completed', stage='finishing', started_at=now(), completed_at = now(), expires_at = now() + interval '7 days', video = $2 where id = $1`, [await uuid(a), JSON.stringify(video)]);
  await database.query(`update tasks set status = 'in_progress', stage='rendering', started_at=now(), admitted_at = now() where id = $1`, [await uuid(b)]);
  await database.query(`insert into live_entries (task_id, attempt, stage, progress, progress_source, updated_at) values ($1, 1, 'rendering', 40, 'engine', now())`, [await uuid(b)]).catch((e) => console.log(String(e)));
  for (const [name, id] of [['read completed', a], ['read in_progress', b]] as const)
    list.push(httpContestant({ name, groups, url: installation.url, requestOf: () => ({ method: 'GET' as const, path: `/v1/videos/${id}`, headers: bearer(installation.liveKey) }) }, { warmUpRequests: W, requests: N }));
  const bareTask = (await (await fetch(`${bare.url}/tasks`, { method: 'POST', headers: { ...bare.headers, 'content-type': 'application/json' }, body })).json()) as { id: string };
  list.push(httpContestant({ ...bare, name: 'bare read', requestOf: () => ({ method: 'GET' as const, path: `/tasks/${bareTask.id}`, headers: {} }) }, { warmUpRequests: 10_000, requests: 4000 }));
}
const measured = await alternate(list, R, () => undefined);
for (const line of tableOf(measured)) console.log(line);
await database.end();
await bare.stop();
await installation.close();
