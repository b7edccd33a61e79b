import { createOpenidProvider } from '../console/openid/openid-provider.ts';
import { createSignInSeal } from '../console/openid/sealed-sign-in.ts';
import type { PeopleParts } from '../console/people-parts.ts';
import { uuidFromId } from '../domain/id.ts';
import { pickShard } from '../domain/shard.ts';
import { AppError } from '../errors.ts';
import { addMember } from '../operations/people/add-member.ts';
import { changePerson } from '../operations/people/change-person.ts';
import { confirmWithOpenid } from '../operations/people/confirm-with-openid.ts';
import { createPerson } from '../operations/people/create-person.ts';
import { removeMember } from '../operations/people/remove-member.ts';
import { resetPassword } from '../operations/people/reset-password.ts';
import { setMemberRole } from '../operations/people/set-member-role.ts';
import { signInWithOpenid } from '../operations/people/sign-in-with-openid.ts';
import { createProject } from '../operations/projects/create-project.ts';
import { requireProject } from '../operations/projects/require-project.ts';
import { setProject } from '../operations/projects/set-project.ts';
import { createSecretBox } from '../webhooks/secret-box.ts';
import type { Foundation } from './foundation.ts';

/** How many keys and people of a project the console knows by name: the pages show the newest tasks. */
const callersLimit = 500;

/** Wires what the console does with people, members and projects. */
export function wirePeople(foundation: Foundation): PeopleParts {
  const { db, clock, config } = foundation;
  const dependencies = { db, clock, consoleUrl: config.KINORA_CONSOLE_URL };
  return {
    openid: wireOpenid(foundation),
    people: {
      list: () => db.people.list(),
      create: (...request) => createPerson(dependencies, ...request),
      change: async (operator, personId, change) => {
        await changePerson(dependencies, operator, personId, change);
        const [person] = await db.people.list(personId);
        if (!person) throw new AppError('not_found');
        return person;
      },
      resetPassword: (...request) => resetPassword(dependencies, ...request),
    },
    members: {
      list: async (projectId) => {
        await requireProject(db, projectId);
        return db.projectMembers.ofProject(projectId);
      },
      add: (...request) => addMember(dependencies, ...request),
      setRole: (...request) => setMemberRole(dependencies, ...request),
      remove: (...request) => removeMember(dependencies, ...request),
      listCallers: async (projectId) => {
        await requireProject(db, projectId);
        return db.projectOverviews.callersOf(projectId, callersLimit);
      },
    },
    projects: {
      list: (only) => db.projectOverviews.list(only),
      create: (operator, name) => createProject(dependencies, operator, name, pickShard(config.KINORA_SHARDS)),
      change: async (operator, projectId, settings) =>
        uuidFromId('proj', projectId) === null ? null : setProject(foundation, operator, projectId, settings),
    },
  };
}

function wireOpenid({ db, clock, config }: Foundation): PeopleParts['openid'] {
  const { KINORA_OPENID_ISSUER: issuer, KINORA_OPENID_CLIENT_ID: clientId } = config;
  if (issuer === null || clientId === null) return null;
  const groupRoles = config.KINORA_OPENID_GROUP_ROLES;
  const sessionHours = config.KINORA_CONSOLE_SESSION_HOURS;
  return {
    provider: createOpenidProvider({
      issuer,
      clientId,
      clientSecret: config.KINORA_OPENID_CLIENT_SECRET,
      groupsClaim: config.KINORA_OPENID_GROUPS_CLAIM,
      redirectUri: `${config.KINORA_CONSOLE_URL}/console-api/openid/callback`,
      clock,
    }),
    seal: createSignInSeal({ secretBox: createSecretBox(config.KINORA_SECRET_KEYS), clock }),
    signIn: (...request) => signInWithOpenid({ db, clock, sessionHours, groupRoles }, ...request),
    confirm: (...request) => confirmWithOpenid({ db, clock, groupRoles }, ...request),
  };
}
