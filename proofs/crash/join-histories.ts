import type { History } from './history.ts';

/** Joins histories of separate stacks. Only ids of clients and endpoints repeat, so they get their run's number. */
export function joinHistories(runs: readonly History[]): History {
  const named = runs.map((run, index) => nameRun(run, `run ${index + 1}: `));
  const all = <Item>(select: (history: History) => Item[]): Item[] => named.flatMap(select);
  const sum = (select: (history: History) => number): number => named.reduce((total, run) => total + select(run), 0);
  return {
    posts: all(({ posts }) => posts),
    unexpectedResponses: all(({ unexpectedResponses }) => unexpectedResponses),
    observations: all(({ observations }) => observations),
    cancels: all(({ cancels }) => cancels),
    kills: all(({ kills }) => kills),
    terminations: all(({ terminations }) => terminations),
    drains: all(({ drains }) => drains),
    submits: all(({ submits }) => submits),
    findings: all(({ findings }) => findings),
    takeoversAt: all(({ takeoversAt }) => takeoversAt),
    deaths: all(({ deaths }) => deaths),
    tasks: all(({ tasks }) => tasks),
    attempts: all(({ attempts }) => attempts),
    events: all(({ events }) => events),
    usage: all(({ usage }) => usage),
    projectSlots: all(({ projectSlots }) => projectSlots),
    leases: all(({ leases }) => leases),
    outboxRows: sum(({ outboxRows }) => outboxRows),
    objects: all(({ objects }) => objects),
    workflows: { running: sum(({ workflows }) => workflows.running), failed: sum(({ workflows }) => workflows.failed) },
  };
}

function nameRun(run: History, prefix: string): History {
  const named = (clientId: string): string => prefix + clientId;
  return {
    ...run,
    posts: run.posts.map((post) => ({ ...post, clientId: named(post.clientId) })),
    tasks: run.tasks.map((task) => ({ ...task, clientId: task.clientId === null ? null : named(task.clientId) })),
    leases: run.leases.map((lease) => ({ ...lease, endpointId: named(lease.endpointId) })),
  };
}
