import { explainTemporal } from '../../health/part-problems.ts';
import { type DoctorCheck, failed, failedAs, ok, skipped, warning } from './doctor-check.ts';
import { observeFairness } from './observe-fairness.ts';

/** The version that Kinora is tested with. Fairness needs 1.29 or later. */
const testedVersion = '1.31';
const daySeconds = 86_400;
/** Longer than this, the histories of ended workflows only take space. */
const longestRetentionDays = 30;
/** An ended workflow explains what happened to a task; a day is also the least that Temporal accepts. */
const leastRetentionDays = 1;

export const temporalChecks: readonly DoctorCheck[] = [
  {
    id: 'temporal.reachable',
    looksAt: 'whether Temporal responds',
    needs: ['settings'],
    async run({ temporal }) {
      try {
        await temporal.call((client) => client.workflowService.getSystemInfo({}));
        return ok('Temporal responds.');
      } catch (error) {
        return failedAs(explainTemporal(error));
      }
    },
  },
  {
    id: 'temporal.version',
    looksAt: 'the version of Temporal; before 1.29 there is no fairness, and 1.31 is tested',
    needs: ['temporal.reachable'],
    async run({ temporal }) {
      const { serverVersion } = await temporal.call((client) => client.workflowService.getSystemInfo({}));
      const [major = 0, minor = 0] = (serverVersion ?? '').split('.').map(Number);
      const remedy = `Use Temporal ${testedVersion} or later.`;
      if (major === 1 && minor < 29) return failed(`Temporal ${serverVersion} has no fairness.`, remedy);
      if (major === 1 && minor < 31) return warning(`Kinora is not tested with Temporal ${serverVersion}.`, remedy);
      return ok(`Temporal ${serverVersion}.`);
    },
  },
  {
    id: 'temporal.namespace',
    looksAt: 'whether the namespace exists',
    needs: ['temporal.reachable'],
    async run({ temporal }) {
      try {
        const { namespace } = temporal;
        await temporal.call((client) => client.workflowService.describeNamespace({ namespace }));
        return ok(`The namespace ${namespace} exists.`);
      } catch (error) {
        return failedAs(explainTemporal(error));
      }
    },
  },
  {
    id: 'temporal.retention',
    looksAt: 'how long ended workflows are kept: 1 day at least, more than 30 warns',
    needs: ['temporal.namespace'],
    async run({ temporal }) {
      const { namespace } = temporal;
      const described = await temporal.call((client) => client.workflowService.describeNamespace({ namespace }));
      const days = Number(described.config?.workflowExecutionRetentionTtl?.seconds ?? 0) / daySeconds;
      const found = `Temporal keeps ended workflows for ${Number(days.toFixed(1))} day(s).`;
      const remedy = `Set one to a few days: \`temporal operator namespace update --retention 72h ${namespace}\`.`;
      if (days < leastRetentionDays) return failed(found, remedy);
      if (days > longestRetentionDays) return warning(found, remedy);
      return ok(found);
    },
  },
  {
    id: 'temporal.partitions',
    looksAt: 'how many partitions the queues `render-…` have, which must be one',
    needs: ['temporal.namespace', 'models.file'],
    async run({ temporal, foundation: { models } }) {
      const { namespace } = temporal;
      const queues = new Set(models.current().endpoints.map(({ pool }) => `render-${pool}`));
      const counts = await Promise.all(
        Array.from(queues, async (name) => {
          const request = { namespace, taskQueue: { name } };
          const response = await temporal.call((client) => client.workflowService.listTaskQueuePartitions(request));
          return { name, partitions: response.activityTaskQueuePartitions?.length ?? 0 };
        }),
      );
      const divided = counts.filter(({ partitions }) => partitions > 1);
      if (divided.length === 0) return ok('Each render queue has one partition.');
      return failed(
        divided.map(({ name, partitions }) => `The queue ${name} has ${partitions} partitions.`).join(' '),
        "In Temporal's dynamic configuration, set matching.numTaskqueueReadPartitions and matching.numTaskqueueWritePartitions to 1 for the queues render-…: fairness holds only within a partition.",
      );
    },
  },
  {
    id: 'temporal.fairness',
    looksAt: 'whether projects are served in turn',
    needs: ['temporal.partitions'],
    seconds: 20,
    async run({ temporal }) {
      const observed = await observeFairness(temporal);
      if (observed === 'fair') return ok('A second project is served before the backlog of the first.');
      if (observed === 'unknown')
        return skipped(
          "Not checked, because the doctor's own queue has several partitions: Temporal is configured queue by queue.",
        );
      return failed(
        'A second project waits for the whole backlog of the first: fairness is off.',
        "In Temporal's dynamic configuration, set matching.enableFairness to true; it is off by default.",
      );
    },
  },
];
