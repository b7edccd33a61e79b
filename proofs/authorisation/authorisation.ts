import { inLanes } from '@kinora/stack/harness/in-lanes';
import { startInstallation } from '@kinora/stack/harness/installation';
import { makeThing } from '@kinora/stack/harness/make-things';
import { openDatabase } from '@kinora/stack/harness/open-database';
import { type Operation, operationsOf } from '@kinora/stack/harness/openapi-operations';
import { pathFor, shapes, type Things, unknownThings } from '@kinora/stack/harness/operation-requests';
import { send } from '@kinora/stack/harness/send-request';
import type { Stack } from '@kinora/stack/parts/stack';
import type { Client } from 'pg';
import type { Proof, ProofOutcome, ProofSize } from '../proof.ts';
import { withProofStack } from '../proof-stack.ts';
import { serverPaths } from '../server-paths.ts';
import { makeWorld, unlimited, type World } from './authorisation-world.ts';
import { type Asker, judge } from './judge-authorisation.ts';
import { malformedHeaders } from './malformed-headers.ts';

export const proof: Proof = {
  name: 'authorisation',
  promise: 'Nobody gets in who may not, and what belongs to others looks as if it did not exist, on every operation.',
  covers:
    serverPaths(`api/app.ts api/hooks/ api/requests/ api/routes/ api/streams/ db/ domain/api-key.ts domain/caller.ts
      domain/id.ts operations/events/ operations/files/ operations/keys/ operations/projects/
      operations/tasks/ operations/webhooks/`),
  minutes: 1,
  run: (size, report) => withProofStack('authorisation', report, (stack) => run(stack, size, report)),
};

/** How many requests are under way at once. */
const lanes = 8;

async function run(stack: Stack, size: ProofSize, report: (line: string) => void): Promise<ProofOutcome> {
  const installation = await startInstallation({ stack, limits: unlimited, onProgress: report });
  const database = await openDatabase(stack);
  try {
    const operations = operationsOf(await (await fetch(`${installation.url}/openapi.json`)).json());
    const world = await makeWorld(installation, database);
    report(`${operations.length} operations, ${Object.keys(shapes).length} of which are known here`);
    const before = await standing(database);
    const malformed = malformedHeaders(world.owner);
    const headers = size === 'smoke' ? malformed.filter((_, index) => index % 10 === 0) : malformed;
    const work = operations.flatMap((operation) => requestsOf(operation, world, headers));
    const failures: string[] = differences(operations);
    let sent = 0;
    await inLanes(lanes, work, async (request) => {
      const complaint = await request();
      sent += 1;
      if (complaint !== null) failures.push(complaint);
      if (sent % 500 === 0) report(`${sent} requests, ${failures.length} wrong outcomes`);
    });
    const after = await standing(database);
    if (after !== before) failures.push(`what was refused left its mark: ${before} before, ${after} after`);

    let valid = 0;
    for (const operation of operations) {
      const complaint = await asksRightly(operation, world);
      if (complaint === null) valid += 1;
      else failures.push(complaint);
    }
    return {
      figures: {
        operations: operations.length,
        requests: sent + operations.length,
        malformedHeaders: headers.length,
        valid,
        wrongOutcomes: failures.length,
      },
      failures,
    };
  } finally {
    await database.end();
    await installation.close();
  }
}

/** The OpenAPI file and this matrix name the same operations. */
function differences(operations: readonly Operation[]): string[] {
  const documented = new Set(operations.map(({ name }) => name));
  return [
    ...operations.filter(({ name }) => !(name in shapes)).map(({ name }) => `${name} is not in the matrix`),
    ...Object.keys(shapes)
      .filter((name) => !documented.has(name))
      .map((name) => `${name} is not in the OpenAPI file`),
  ];
}

/** Everything that must be refused for one operation; for an open one, that it is not. */
function requestsOf(operation: Operation, world: World, headers: readonly string[]): (() => Promise<string | null>)[] {
  const { scope } = operation;
  if (scope === null) return [() => attempt(operation, world, 'no key', null)];
  const bearer = (key: string): string => `Bearer ${key}`;
  const last = world.owner.at(-1) === '0' ? '1' : '0';
  const others: [Asker, string | null][] = [
    ['no key', null],
    ['unknown', bearer(world.unknown)],
    ['bad checksum', bearer(world.owner.slice(0, -1) + last)],
    ['revoked', bearer(world.revoked)],
    ['expired', bearer(world.expired)],
    ['suspended project', bearer(world.suspended)],
    ['wrong scope', bearer(world.without.get(scope) ?? '')],
    // These are let in, so what they use is their own; only a path that names something can be foreign.
    ['other project', bearer(world.otherProject)],
    ['wrong mode', bearer(world.otherMode)],
  ];
  return [
    ...others.map(
      ([asker, header]) =>
        () =>
          attempt(operation, world, asker, header),
    ),
    ...headers.map((header) => () => attempt(operation, world, 'malformed', header)),
  ];
}

async function attempt(operation: Operation, world: World, asker: Asker, header: string | null) {
  const { method, path, name, scope } = operation;
  const shape = shapes[name] ?? {};
  const to = (things: Things) => send(world.url + pathFor(path, things, shape.query), method, header, shape);
  const namesSomething = operation.parameters.length > 0 && !shape.isShared;
  const isStranger = asker === 'other project' || asker === 'wrong mode';
  const { status, body } = await to(thingsFor(shape.needs, world));
  return judge(
    {
      operation: name,
      asker,
      needsKey: scope !== null,
      namesSomething,
      status,
      body,
      unknownBody: namesSomething && isStranger ? (await to(unknownThings)).body : undefined,
    },
    [...Object.values(world.things), world.completedTask],
  );
}

/** The same request from someone who may; what it uses up is made for it. */
async function asksRightly(operation: Operation, world: World): Promise<string | null> {
  const { method, path, name, scope, parameters } = operation;
  const shape = shapes[name] ?? {};
  const isUsedUp = shape.usesUp !== undefined && parameters.length > 0;
  const made = isUsedUp && shape.usesUp ? await makeThing({ url: world.url, key: world.owner }, shape.usesUp) : {};
  const things = { ...thingsFor(shape.needs, world), ...made };
  const { status, body } = await send(
    world.url + pathFor(path, things, shape.query),
    method,
    scope === null ? null : `Bearer ${world.owner}`,
    shape,
  );
  const needsKey = scope !== null;
  return judge({ operation: name, asker: 'valid', needsKey, namesSomething: parameters.length > 0, status, body }, []);
}

function thingsFor(needs: string | undefined, { things, completedTask }: World): Things {
  return needs === 'completed task' ? { ...things, task_id: completedTask } : things;
}

/** How much there is of the owner's: refused requests must not change it. */
async function standing(database: Client): Promise<string> {
  const { rows } = await database.query<{ standing: string }>(`
    with owner as (select project_id from tasks order by id limit 1)
    select concat_ws(' ',
      (select count(*) || ' tasks ' || count(*) filter (where status = 'cancelled') || ' cancelled ' || count(deleted_at) || ' deleted'
        from tasks, owner where tasks.project_id = owner.project_id and livemode),
      (select count(*) || ' files' from files, owner where files.project_id = owner.project_id and livemode),
      (select count(*) || ' keys ' || count(revoked_at) || ' revoked' from api_keys, owner where api_keys.project_id = owner.project_id and livemode),
      (select string_agg(id::text || encode(secret, 'hex') || description, ' ') from webhook_endpoints, owner
        where webhook_endpoints.project_id = owner.project_id and livemode)) as standing`);
  return rows[0]?.standing ?? '';
}
