import { minimumDaysAhead, partitionDaysAhead } from '../../db/connection/partitions.ts';
import { readSchemaState } from '../../db/connection/schema-state.ts';
import { reportPoolSize } from '../../db/database.ts';
import { explainMissing, explainPostgres } from '../../health/part-problems.ts';
import { reviewSecrets } from '../../operations/webhooks/rewrap-secrets.ts';
import { createSecretBox } from '../../webhooks/secret-box.ts';
import { judgeClock } from './clock-offset.ts';
import { type DoctorCheck, failed, failedAs, ok, warning } from './doctor-check.ts';
import {
  findTablesWithoutRights,
  keepsSessions,
  readClockOffset,
  readConnectionLimits,
  readVersion,
} from './postgres-facts.ts';

const oldestMajor = 15;
const newestMajor = 18;
/** The relay creates partitions 14 days ahead; with fewer than 10 it has not done so for days. */
const usualDaysAhead = 10;
/** Lists, searches and usage have connections of their own, and each role one more. */
const connectionsBesidePool = reportPoolSize + 1;
/** One process of each role: api, relay, worker. */
const leastProcesses = 3;

export const postgresChecks: readonly DoctorCheck[] = [
  {
    id: 'postgres.reachable',
    looksAt: 'whether Postgres accepts the connection, the user, the database, and writes',
    needs: ['settings'],
    async run({ foundation }) {
      try {
        // A second try: the first connection of a process that is still loading may come too late.
        await foundation.db.check().catch(() => foundation.db.check());
        return ok('Postgres responds and accepts writes.');
      } catch (error) {
        return failedAs(explainPostgres(error));
      }
    },
  },
  {
    id: 'postgres.version',
    looksAt: 'the version of Postgres, which must be 15 to 18',
    needs: ['postgres.reachable'],
    async run({ foundation: { db } }) {
      const { number, text } = await readVersion(db.kysely);
      const major = Math.floor(number / 10_000);
      const remedy = `Use Postgres ${oldestMajor} to ${newestMajor}.`;
      if (major < oldestMajor) return failed(`Postgres ${text} is too old.`, remedy);
      if (major > newestMajor) return warning(`Kinora is not tested with Postgres ${text}.`, remedy);
      return ok(`Postgres ${text}.`);
    },
  },
  {
    id: 'postgres.sessions',
    looksAt:
      'whether a lock stays with its connection: the doctor takes one, lets other connections begin transactions, and looks ten times whether the first still has it',
    needs: ['postgres.reachable'],
    async run({ config }) {
      if (await keepsSessions(config.KINORA_DATABASE_URL)) return ok('A lock stays with the connection that took it.');
      return failed(
        'A lock does not stay with the connection that took it: a transaction pooler is in front of Postgres.',
        'Let KINORA_DATABASE_URL lead to Postgres itself, or set the pooler to session pooling.',
      );
    },
  },
  {
    id: 'postgres.schema',
    looksAt: 'migrations that are missing, or that this program does not have (a warning)',
    needs: ['postgres.reachable'],
    async run({ foundation: { db } }) {
      const { missing, unknown } = await readSchemaState(db.kysely);
      if (missing.length > 0) {
        return failedAs(explainMissing(missing));
      }
      if (unknown.length > 0)
        return warning(
          `The database has ${unknown.length} migration(s) that this program does not have: ${unknown.join(', ')}.`,
          'This program is older than the database. Upgrade it, unless you are in the middle of an upgrade.',
        );
      return ok('All migrations were applied.');
    },
  },
  {
    id: 'postgres.connections',
    looksAt:
      'whether the server, the role and the database allow as many connections as the running processes may open, three at least',
    needs: ['postgres.schema'],
    async run({ config, foundation: { db } }) {
      const { limit, others } = await readConnectionLimits(db.kysely);
      const processes = Math.max(leastProcesses, (await db.processes.list()).length);
      const needed = processes * (config.KINORA_DATABASE_POOL_SIZE + connectionsBesidePool);
      const need = `${processes} processes may open ${needed} connections`;
      const remedy =
        'Raise max_connections (or the connection limit of the role or the database), or lower KINORA_DATABASE_POOL_SIZE.';
      if (limit < needed) return failed(`${need}, and Postgres allows ${limit}.`, remedy);
      if (limit - others < needed)
        return warning(`${need}. Postgres allows ${limit}, of which other programs have ${others} now.`, remedy);
      return ok(`${need}, and Postgres allows ${limit}.`);
    },
  },
  {
    id: 'postgres.rights',
    looksAt: 'whether the role owns the tables and may write to them',
    needs: ['postgres.schema'],
    async run({ foundation: { db } }) {
      const tables = await findTablesWithoutRights(db.kysely);
      if (tables.length === 0) return ok('The role owns all tables.');
      return failed(
        `The role in KINORA_DATABASE_URL does not own, or may not write to, ${tables.length} table(s), such as ${tables[0]}.`,
        'Make it the owner of the tables (`reassign owned by … to …`), or use the role that ran `kinora-server migrate`.',
      );
    },
  },
  {
    id: 'postgres.partitions',
    looksAt: 'for how many days ahead each table has partitions: 2 at least, 10 without a warning',
    needs: ['postgres.schema'],
    async run({ foundation: { db, clock } }) {
      const days = await partitionDaysAhead(db.kysely, clock.now());
      const remedy = 'Start the relay, which creates them, or run `kinora-server migrate`.';
      const found =
        days < 0 ? 'Today has no partition in at least one table.' : `Only the next ${days} day(s) have partitions.`;
      if (days < minimumDaysAhead) return failed(found, remedy);
      if (days < usualDaysAhead) return warning(found, remedy);
      return ok(`The next ${days} days have partitions.`);
    },
  },
  {
    id: 'postgres.clock',
    looksAt: 'the clock of Postgres: 5 s off fails, 2 s warns',
    needs: ['postgres.reachable'],
    run: async ({ foundation: { db } }) =>
      judgeClock([{ name: 'Postgres', offsetMilliseconds: await readClockOffset(db.kysely) }]),
  },
  {
    id: 'secrets.readable',
    looksAt: 'whether `KINORA_SECRET_KEYS` opens all stored webhook secrets',
    needs: ['postgres.rights'],
    async run({ config, foundation: { db, clock } }) {
      const box = createSecretBox(config.KINORA_SECRET_KEYS);
      const { unreadable, underOtherKeys } = await reviewSecrets({ db, clock, box });
      if (unreadable.length > 0)
        return failed(
          `KINORA_SECRET_KEYS lacks the key of ${unreadable.length} stored webhook or callback secret(s).`,
          'Put the removed key back at the end of the list. If it is lost, `kinora-server secrets rewrap --replace-lost` creates new secrets.',
        );
      if (underOtherKeys > 0)
        return ok(`All stored secrets can be read; ${underOtherKeys} of them with a key that is not the first.`);
      return ok('All stored secrets can be read.');
    },
  },
];
