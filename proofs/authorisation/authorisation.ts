import { hangLimitMilliseconds } from '@kinora/stack/hang-limit';
import { createObject } from '@kinora/stack/harness/create-objects';
import { forEachConcurrently } from '@kinora/stack/harness/for-each-concurrently';
import { forgedTokens } from '@kinora/stack/harness/forged-tokens';
import { startInstallation } from '@kinora/stack/harness/installation';
import { openDatabase } from '@kinora/stack/harness/open-database';
import { type Operation, operationsOf } from '@kinora/stack/harness/openapi-operations';
import { type ObjectIds, operationRequests, pathFor, unknownIds } from '@kinora/stack/harness/operation-requests';
import { pause } from '@kinora/stack/harness/pause';
import { findSelfRepairs } from '@kinora/stack/harness/self-repairs';
import { send } from '@kinora/stack/harness/send-request';
import type { Stack } from '@kinora/stack/parts/stack';
import type { Client } from 'pg';
import type { Proof, ProofOutcome } from '../proof.ts';
import { makeWorld, unlimited, type World } from './authorisation-world.ts';
import { type CallerKind, isStranger, judge } from './judge-authorisation.ts';
import { malformedHeaders } from './malformed-headers.ts';

export const proof: Proof = {
  name: 'authorisation',
  promise:
    'Every operation refuses callers without the right key or token, and hides that objects of other projects exist.',
  minutes: 1,
  inGate: 'shared',
  run: (stack, { report }) => run(stack, report),
};

/** How many requests are in flight at once. */
const concurrency = 8;

async function run(stack: Stack, report: (line: string) => void): Promise<ProofOutcome> {
  // All requests come from one address, and many have no valid key.
  const environment = { KINORA_KEYLESS_REQUESTS_PER_MINUTE: '1000000' };
  await using installation = await startInstallation({ stack, limits: unlimited, environment, onProgress: report });
  await using database = await openDatabase(stack);
  const operations = operationsOf(await (await fetch(`${installation.url}/openapi.json`)).json());
  const world = await makeWorld(installation, database);
  report(`the OpenAPI file has ${operations.length} operations, the matrix ${Object.keys(operationRequests).length}`);
  const failures: string[] = differences(operations);
  // First, because refused requests with keys and tokens of the owner count against the owner's limits.
  let valid = 0;
  for (const operation of operations) {
    for (const bearer of validBearers(operation, world)) {
      const complaint = await sendValid(operation, world, bearer);
      if (complaint === null) valid += 1;
      else failures.push(complaint);
    }
  }
  const before = await ownedCounts(database);
  const headers = malformedHeaders(world.owner);
  const work = operations.flatMap((operation) => requestsOf(operation, world, headers));
  let sent = 0;
  await forEachConcurrently(concurrency, work, async (request) => {
    const complaint = await request();
    sent += 1;
    if (complaint !== null) failures.push(complaint);
    if (sent % 500 === 0) report(`${sent} requests, ${failures.length} wrong outcomes`);
  });
  const after = await ownedCounts(database);
  if (after !== before) failures.push(`a refused request changed something: ${before} before, ${after} after`);
  const wrongOutcomes = failures.length;
  failures.push(...(await findSelfRepairs(stack, installation)));

  return {
    figures: {
      operations: operations.length,
      requests: sent + valid,
      malformedHeaders: headers.length,
      valid,
      wrongOutcomes,
    },
    failures,
  };
}

/** Returns the operations that only one of the OpenAPI file and the matrix names. */
function differences(operations: readonly Operation[]): string[] {
  const documented = new Set(operations.map(({ name }) => name));
  return [
    ...operations.filter(({ name }) => !(name in operationRequests)).map(({ name }) => `${name} is not in the matrix`),
    ...Object.keys(operationRequests)
      .filter((name) => !documented.has(name))
      .map((name) => `${name} is not in the OpenAPI file`),
  ];
}

/** Returns all requests to one operation that must be refused. An operation without a key must accept its request. */
function requestsOf(operation: Operation, world: World, headers: readonly string[]): (() => Promise<string | null>)[] {
  const { scope, name, needsKey } = operation;
  if (!needsKey) return [() => attempt(operation, world, 'no key', null)];
  const bearer = (key: string): string => `Bearer ${key}`;
  const last = world.owner.at(-1) === '0' ? '1' : '0';
  const others: [CallerKind, string | null][] = [
    ['no key', null],
    ['unknown', bearer(world.unknown)],
    ['bad checksum', bearer(world.owner.slice(0, -1) + last)],
    ['revoked', bearer(world.revoked)],
    ['expired', bearer(world.expired)],
    ['suspended project', bearer(world.suspended)],
    // These callers are authorised for their own project; only a path that names an object can be foreign to them.
    ['other project', bearer(world.otherProject)],
    ['wrong mode', bearer(world.otherMode)],
    ['expired token', bearer(world.tokens.expired)],
    ['token of a revoked key', bearer(world.tokens.ofRevokedKey)],
    ['token of a suspended project', bearer(world.tokens.ofSuspendedProject)],
    ...forgedTokens(world.tokens.all, world.tokens.ofCompletedTask).map((token): [CallerKind, string] => [
      'forged token',
      bearer(token),
    ]),
  ];
  if (scope === null) {
    for (const token of [world.tokens.all, ...world.tokens.ofScope.values()]) {
      others.push(['token that makes a token', bearer(token)]);
    }
  } else {
    others.push(['wrong scope', bearer(world.without.get(scope) ?? '')]);
    others.push(['token of another project', bearer(world.tokens.ofOtherProject)]);
    for (const [ofToken, token] of world.tokens.ofScope) {
      if (ofToken !== scope) others.push(['token of the wrong scope', bearer(token)]);
    }
  }
  if (operationRequests[name]?.needs !== 'completed task') {
    others.push(['token of another task', bearer(world.tokens.ofCompletedTask)]);
  }
  return [
    ...others.map(
      ([caller, header]) =>
        () =>
          attempt(operation, world, caller, header),
    ),
    ...headers.map((header) => () => attempt(operation, world, 'malformed', header)),
  ];
}

/** Longer than that limit takes to allow another request. */
const rateMilliseconds = 7_000;

async function attempt(operation: Operation, world: World, caller: CallerKind, header: string | null) {
  const { method, path, name, needsKey } = operation;
  const request = operationRequests[name] ?? {};
  const to = async (ids: ObjectIds): ReturnType<typeof send> => {
    const deadline = Date.now() + hangLimitMilliseconds;
    for (;;) {
      const response = await send(world.url + pathFor(path, ids, request.query), method, header, request);
      // Only two things can come before the rights: a busy machine, and the limit of 10 webhook tests per minute, which is
      // part of the product.
      if ((response.status !== 429 && response.status !== 503) || Date.now() > deadline) return response;
      await pause(rateMilliseconds);
    }
  };
  const namesSomething = operation.parameters.length > 0 && !request.isShared;
  const { status, body } = await to(idsFor(request.needs, world));
  return judge(
    {
      operation: name,
      caller,
      needsKey,
      namesSomething,
      status,
      body,
      unknownBody: namesSomething && isStranger(caller, name) ? (await to(unknownIds)).body : undefined,
    },
    [...Object.values(world.ids), world.completedTask],
  );
}

/** Returns the owner's key, and the token with just the scope of the operation. */
function validBearers({ name, needsKey, scope }: Operation, { owner, tokens }: World): (string | null)[] {
  if (!needsKey) return [null];
  // A token makes no tokens. Keys of a token can have no scope that it lacks, and it cannot rotate one that outlives it.
  if (scope === null || name === 'POST /v1/api-keys/{key_id}/rotate') return [owner];
  return [owner, (scope === 'keys:manage' ? tokens.all : tokens.ofScope.get(scope)) ?? ''];
}

/** Sends the same request with a key or token that may. If the operation consumes an object, it gets a new one. */
async function sendValid(operation: Operation, world: World, bearer: string | null): Promise<string | null> {
  const { method, path, name, needsKey, parameters } = operation;
  const request = operationRequests[name] ?? {};
  const isConsumed = request.consumes !== undefined && parameters.length > 0;
  const made =
    isConsumed && request.consumes ? await createObject({ url: world.url, key: world.owner }, request.consumes) : {};
  const ids = { ...idsFor(request.needs, world), ...made };
  const header = bearer === null ? null : `Bearer ${bearer}`;
  const { status, body } = await send(world.url + pathFor(path, ids, request.query), method, header, request);
  return judge({ operation: name, caller: 'valid', needsKey, namesSomething: parameters.length > 0, status, body }, []);
}

function idsFor(needs: string | undefined, { ids, completedTask }: World): ObjectIds {
  return needs === 'completed task' ? { ...ids, task_id: completedTask } : ids;
}

/** Describes what the owner has, in counts and webhook endpoints: refused requests must not change it. */
async function ownedCounts(database: Client): Promise<string> {
  const { rows } = await database.query<{ counts: string }>(`
    with owner as (select project_id from tasks order by id limit 1)
    select concat_ws(' ',
      (select count(*) || ' tasks ' || count(*) filter (where status = 'cancelled') || ' cancelled ' || count(deleted_at) || ' deleted'
        from tasks, owner where tasks.project_id = owner.project_id and livemode),
      (select count(*) || ' files' from files, owner where files.project_id = owner.project_id and livemode),
      (select count(*) || ' keys ' || count(revoked_at) || ' revoked' from api_keys, owner where api_keys.project_id = owner.project_id and livemode),
      (select string_agg(id::text || encode(secret, 'hex') || description, ' ') from webhook_endpoints, owner
        where webhook_endpoints.project_id = owner.project_id and livemode)) as counts`);
  return rows[0]?.counts ?? '';
}
