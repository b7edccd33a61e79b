import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { projectRoles } from '../../domain/person.ts';
import { bodyReader } from '../../http/body-reader.ts';
import { originOf } from '../../http/origin-of.ts';
import type { ConsoleParts } from '../console-parts.ts';
import { presentMember } from '../present-person.ts';
import { emailSchema, nameSchema } from '../requests/person-fields.ts';
import { consoleUserOf, sessionOf } from '../requests/session-of.ts';

type Parts = Pick<ConsoleParts, 'members'>;

const roleSchema = Type.Enum([...projectRoles]);
const addBody = Type.Object({ email: emailSchema, name: Type.Optional(nameSchema), role: roleSchema });
const roleBody = Type.Object({ role: roleSchema });
const readAdd = bodyReader(addBody);
const readRole = bodyReader(roleBody);

interface MemberPath {
  project_id: string;
  person_id: string;
}

/** The people of a project, for its admins, and the names of all callers, for its members. */
export function memberRoutes(app: FastifyInstance, { members }: Parts): void {
  const path = '/console-api/projects/:project_id';

  app.get(`${path}/members`, async (request) => {
    const { project_id: projectId } = request.params as MemberPath;
    return { data: (await members.list(projectId)).map(presentMember) };
  });

  app.post(`${path}/members`, { schema: { body: addBody } }, async (request) => {
    const { project_id: projectId } = request.params as MemberPath;
    const admin = { person: sessionOf(request).person, origin: originOf(request) };
    const { member, setupUrl } = await members.add(admin, projectId, readAdd(request.body));
    return { member: presentMember(member), setup_url: setupUrl };
  });

  app.put(`${path}/members/:person_id`, { schema: { body: roleBody } }, async (request) => {
    const { project_id: projectId, person_id: personId } = request.params as MemberPath;
    const { role } = readRole(request.body);
    return presentMember(await members.setRole(consoleUserOf(request), { projectId, personId, role }));
  });

  app.delete(`${path}/members/:person_id`, async (request, reply) => {
    const { project_id: projectId, person_id: personId } = request.params as MemberPath;
    await members.remove(consoleUserOf(request), { projectId, personId });
    return reply.code(204).send();
  });

  app.get(`${path}/callers`, async (request) => {
    const { project_id: projectId } = request.params as MemberPath;
    const callers = await members.listCallers(projectId);
    return {
      data: callers.map(({ keyId, name, isPerson, livemode, lastFour }) => ({
        key_id: keyId,
        name,
        type: isPerson ? 'person' : 'key',
        livemode,
        last_four: lastFour,
      })),
    };
  });
}
