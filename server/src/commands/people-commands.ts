import type { Command } from 'commander';
import type { ListedPerson } from '../db/access/people-table.ts';
import type { Database } from '../db/database.ts';
import { AppError } from '../errors.ts';
import { changePerson } from '../operations/people/change-person.ts';
import { makeFirstOperatorLink } from '../operations/people/make-first-operator.ts';
import { resetPassword } from '../operations/people/reset-password.ts';
import { operatorOf } from './operator-of.ts';
import { printTable } from './print-table.ts';
import { withFoundation } from './with-foundation.ts';

export function addPeopleCommands(program: Command): void {
  const people = program.command('people').description('list the people who use the console, and help them sign in');

  people
    .command('list')
    .description('list everybody with their roles')
    .option('--json', 'print one JSON object per line', false)
    .action(({ json }: { json: boolean }) =>
      withFoundation(async ({ db }) => {
        const all = await db.people.list();
        if (json) for (const person of all) console.log(JSON.stringify(person));
        else printTable(columns, all.map(rowOf));
      }),
    );

  people
    .command('first-operator')
    .description('print a link, valid once and for 24 hours, that creates the first operator')
    .action(() =>
      withFoundation(async (foundation) => {
        const link = await makeFirstOperatorLink(foundation, foundation.config.KINORA_CONSOLE_URL);
        if (link === null) {
          const message =
            'There is already an operator. `people list` shows who, and `people reset` lets them set a password.';
          throw new AppError('invalid_parameter', { message });
        }
        console.log(link);
      }),
    );

  people
    .command('reset')
    .argument('<email>')
    .description('print a link, valid once and for 7 days, that lets a person set a new password')
    .action((email: string, _options: unknown, command: Command) =>
      withFoundation(async ({ db, clock, config }) => {
        const dependencies = { db, clock, consoleUrl: config.KINORA_CONSOLE_URL };
        console.log(await resetPassword(dependencies, operatorOf(command), await requirePerson(db, email)));
      }),
    );

  for (const [name, isDisabled, description] of [
    ['disable', true, 'sign a person out everywhere, and refuse them from now on'],
    ['enable', false, 'let a disabled person sign in again'],
  ] as const)
    people
      .command(name)
      .argument('<email>')
      .description(description)
      .action((email: string, _options: unknown, command: Command) =>
        withFoundation(async (foundation) => {
          const personId = await requirePerson(foundation.db, email);
          await changePerson(foundation, operatorOf(command), personId, { isDisabled });
          console.log(`${personId} is ${name}d.`);
        }),
      );
}

const columns = ['id', 'e-mail', 'name', 'state', 'last sign-in', 'roles'];

function rowOf(person: ListedPerson): string[] {
  const roles = person.projects.map(({ id, role }) => `${id}:${role}`);
  return [
    person.id,
    person.email,
    person.name,
    person.disabledAt === null ? 'active' : 'disabled',
    person.lastSignedInAt === null ? 'never' : `${person.lastSignedInAt.toISOString().slice(0, 16).replace('T', ' ')}Z`,
    [...(person.isOperator ? ['operator'] : []), ...roles].join(' '),
  ];
}

async function requirePerson({ people }: Pick<Database, 'people'>, email: string): Promise<string> {
  const found = await people.findByEmail(email);
  if (!found) throw new AppError('not_found', { message: `Nobody has the e-mail address ${email}.` });
  return found.person.id;
}
