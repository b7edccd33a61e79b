import type { CreateResponse, Evidence } from './idempotency-evidence.ts';
import type { Thresholds } from './idempotency-size.ts';

const reservationSeconds = 60;

/** Returns one objection for each way in which the evidence breaks the promise. */
export function checkEvidence(evidence: Evidence, thresholds: Thresholds): string[] {
  const byKey = Map.groupBy(evidence.responses, ({ key }) => key);
  const tasksOf = Map.groupBy(evidence.tasks, ({ key }) => key);
  const recordsOf = Map.groupBy(evidence.records, ({ key }) => key);
  const keys = new Set(evidence.keys);
  return [
    ...evidence.keys.flatMap((key) => {
      const responses = byKey.get(key) ?? [];
      const tasks = (tasksOf.get(key) ?? []).map(({ id }) => id);
      return [
        ...checkResponses(key, responses, evidence.requestsPerKey),
        ...checkTask(key, responses, tasks),
        ...checkRecord(key, recordsOf.get(key) ?? [], tasks),
      ];
    }),
    ...evidence.tasks
      .filter(({ key }) => key === null || !keys.has(key))
      .map(({ id }) => `${id} belongs to none of the keys`),
    ...checkCount(evidence),
    ...checkEnough(evidence, thresholds),
  ];
}

/** Removes the only part in which responses may differ: a URL that is signed for each response. */
function withoutSignedUrl(body: string): string {
  return body.replace(/("events_url":)"[^"]*"/, '$1"…"');
}

function checkResponses(key: string, responses: CreateResponse[], expected: number): string[] {
  const accepted = responses.filter(({ status }) => status === 200);
  const others = Map.groupBy(
    responses.filter(({ status }) => status !== 200),
    ({ status }) => status,
  );
  const different = new Set(accepted.map(({ body }) => withoutSignedUrl(body))).size;
  const firsts = accepted.filter(({ isReplayed }) => !isReplayed).length;
  return [
    ...[...others].map(([status, list]) => `${key} got the response ${status}, ${list.length} times: ${list[0]?.body}`),
    ...(responses.length === expected ? [] : [`${key} has ${responses.length} of ${expected} responses`]),
    ...(different > 1 ? [`${key} has ${different} different responses`] : []),
    ...(firsts > 1 ? [`${key} has ${firsts} responses that are not marked as replays`] : []),
    ...(accepted.some(({ body }) => !body.includes('"events_url":"'))
      ? [`${key} has a response without events_url`]
      : []),
  ];
}

function checkTask(key: string, responses: CreateResponse[], tasks: string[]): string[] {
  if (tasks.length !== 1) return [`${key} made ${tasks.length} tasks`];
  const named = new Set(responses.filter(({ status }) => status === 200).map(({ body }) => idOf(body)));
  return [...named]
    .filter((id) => id !== tasks[0])
    .map((id) => `${key} got the response ${id}, but its task is ${tasks[0]}`);
}

function checkRecord(key: string, records: { taskId: string | null }[], tasks: string[]): string[] {
  if (records.length !== 1) return [`${key} has ${records.length} records`];
  const [record] = records;
  if (record?.taskId === null) return [`${key} is still reserved`];
  return tasks.includes(record?.taskId ?? '')
    ? []
    : [`the record of ${key} names ${record?.taskId}, which is not its task`];
}

function checkCount({ counted, tasks }: Evidence): string[] {
  if (counted.running === 0 && counted.waiting === tasks.length) return [];
  return [
    `the project counts ${counted.running} running and ${counted.waiting} waiting, but ${tasks.length} tasks wait`,
  ];
}

function checkEnough(evidence: Evidence, thresholds: Thresholds): string[] {
  const done: Thresholds = { ...evidence, takeovers: takeoversIn(evidence) };
  const named = {
    kills: 'kills',
    killsBeforeResponse: 'kills between commit and response',
    brokenRequests: 'requests that broke off',
    takeovers: 'reservations taken over',
  } as const satisfies Record<keyof Thresholds, string>;
  return (Object.keys(named) as (keyof Thresholds)[]) // The keys of the object above.
    .filter((name) => done[name] < thresholds[name])
    .map((name) => `too little was done: ${done[name]} of ${thresholds[name]} ${named[name]}`);
}

/** Counts the keys that got no response until a reservation expired, because the process that held it had died. */
export function takeoversIn({ firstResponseSeconds }: Evidence): number {
  return [...firstResponseSeconds.values()].filter((seconds) => seconds >= reservationSeconds).length;
}

function idOf(body: string): string {
  return (JSON.parse(body) as { task_id: string }).task_id; // The task object of the API.
}
