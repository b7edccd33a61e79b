import { animatic } from '../../domain/model.ts';
import { messageOf } from '../../health/part-problems.ts';
import type { EndpointReport } from '../endpoint-report.ts';
import { judgeClock, readHttpClock } from './clock-offset.ts';
import { type DoctorCheck, type Finding, failed, ok } from './doctor-check.ts';

/** Engines are probed for 5 s at most, and a busy one may take that long. */
const probeSeconds = 8;

export const engineChecks: readonly DoctorCheck[] = [
  {
    id: 'models.file',
    looksAt: 'whether the models file is valid',
    needs: ['settings'],
    async run({ config, foundation: { models } }) {
      try {
        await models.open();
      } catch (error) {
        const problems = messageOf(error).replace(/^[^:]*: - /, '');
        return failed(
          `The models file has problems: ${problems}.`,
          'Correct the lines; docs/models.md describes them.',
        );
      }
      if (config.KINORA_MODELS_FILE === null)
        return ok('There is no models file: the built-in engine serves all requests.');
      const { catalogue, endpoints } = models.current();
      return ok(`The models file has ${catalogue.models.length} model(s) and ${endpoints.length} endpoint(s).`);
    },
  },
  {
    id: 'models.agreement',
    looksAt: 'whether all running processes report this models file',
    needs: ['models.file', 'postgres.rights'],
    async run({ foundation: { db, models } }) {
      const others = await db.processes.fingerprints();
      if (others.length === 0) return ok('No other process is running, so no models file can differ.');
      if (others.every((fingerprint) => fingerprint === models.current().fingerprint))
        return ok('All running processes have this models file.');
      return failed(
        `Running processes have ${others.length > 1 ? 'different models files' : 'another models file than this one'}.`,
        'Give all processes, and the doctor, the same file and the same KINORA_MODELS_FILE. A process reads a change within seconds.',
      );
    },
  },
  {
    id: 'animatic',
    looksAt: 'whether the built-in engine responds, which test mode needs',
    needs: ['models.file'],
    seconds: probeSeconds,
    run: async (parts) =>
      judge(
        (await parts.endpoints()).filter(({ endpoint }) => endpoint === animatic.pool),
        'Start kinora-animatic, or correct KINORA_ANIMATIC_URL. Test mode needs it even if the models file does not.',
      ),
  },
  {
    id: 'engines',
    looksAt: 'whether each endpoint of the models file responds and serves what the file says',
    needs: ['models.file'],
    seconds: probeSeconds,
    run: async (parts) =>
      judge(
        (await parts.endpoints()).filter(({ endpoint }) => endpoint !== animatic.pool),
        'Start the engine, or correct its entry in the models file. `kinora-server engines check` shows more.',
      ),
  },
  {
    id: 'engines.clock',
    looksAt: 'the clocks of the engines, by the Date header of a response, if they send one',
    needs: ['models.file'],
    run: async ({ foundation: { models } }) => {
      const clocks = await Promise.all(
        models.current().endpoints.map(async ({ id, url }) => {
          // An engine that is away is another check's finding.
          const offset = await readHttpClock(url).catch(() => null);
          return offset === null ? [] : [{ name: `the engine ${id}`, offsetMilliseconds: offset }];
        }),
      );
      return judgeClock(clocks.flat());
    },
  },
];

function judge(reports: readonly EndpointReport[], remedy: string): Finding {
  const bad = reports.filter(({ health }) => health !== 'ok');
  if (bad.length > 0) return failed(bad.map(({ endpoint, health }) => `${endpoint}: ${health}`).join(' '), remedy);
  const described = reports.map(({ endpoint, version }) => (version ? `${endpoint} ${version}` : endpoint));
  return ok(reports.length === 0 ? 'The models file has no endpoints.' : `Ready: ${described.join(', ')}.`);
}
