import { conflictsOfPlainText } from '../../config/conflicts.ts';
import { type DoctorCheck, failed, ok, warning } from './doctor-check.ts';

/** Node 24 is the version that Kinora is tested with. */
const nodeMajor = 24;

export const settingsChecks: readonly DoctorCheck[] = [
  {
    id: 'settings',
    looksAt: 'whether a role would accept the settings',
    needs: [],
    async run({ problems }) {
      if (problems.others.length > 0)
        return failed(problems.others.join(' '), 'Correct these settings: no role starts with them.');
      return ok('The settings can be read and do not contradict each other.');
    },
  },
  {
    id: 'secrets.strength',
    looksAt: 'secrets that are weak, or come from an example',
    needs: ['settings'],
    async run({ config, problems }) {
      if (problems.secrets.length > 0)
        return failed(problems.secrets.join(' '), 'Replace these secrets: no role starts with them in production.');
      return ok(
        config.KINORA_ENV === 'production'
          ? 'No secret is weak or comes from an example.'
          : 'Not required, because KINORA_ENV is development.',
      );
    },
  },
  {
    id: 'encryption',
    looksAt: 'whether Postgres, Temporal or the store is reached in plain text beyond this machine',
    needs: ['settings'],
    async run({ config, problems }) {
      const remedy = 'Encrypt these connections, see "Encrypted connections" in docs/operations/connections.md.';
      if (problems.plainText.length > 0) return failed(problems.plainText.join(' '), remedy);
      if (config.KINORA_ENV !== 'production') {
        const found = conflictsOfPlainText(config);
        if (found.length > 0) return warning(`Production would refuse this: ${found.join(' ')}`, remedy);
      }
      const allowed = config.KINORA_ALLOW_PLAIN_TEXT;
      return ok(
        allowed.length === 0
          ? 'No connection beyond this machine is in plain text.'
          : `Plain text is allowed by KINORA_ALLOW_PLAIN_TEXT: ${allowed.join(', ')}.`,
      );
    },
  },
  {
    id: 'node.version',
    looksAt: 'the version of Node, which must be 24',
    needs: ['settings'],
    async run() {
      const version = process.versions.node;
      const major = Number.parseInt(version, 10);
      const remedy = `Use Node ${nodeMajor}.`;
      if (major < nodeMajor) return failed(`Node ${version} is too old.`, remedy);
      if (major > nodeMajor) return warning(`Kinora is not tested with Node ${version}.`, remedy);
      return ok(`Node ${version}.`);
    },
  },
];
