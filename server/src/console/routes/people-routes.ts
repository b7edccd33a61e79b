import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { bodyReader } from '../../http/body-reader.ts';
import type { ConsoleParts } from '../console-parts.ts';
import { presentPerson } from '../present-person.ts';
import { emailSchema, nameSchema } from '../requests/person-fields.ts';
import { operatorOf } from '../requests/session-of.ts';

type Parts = Pick<ConsoleParts, 'people'>;

const createBody = Type.Object({
  email: emailSchema,
  name: Type.Optional(nameSchema),
  is_operator: Type.Optional(Type.Boolean()),
});
const changeBody = Type.Object({
  name: Type.Optional(nameSchema),
  is_operator: Type.Optional(Type.Boolean()),
  is_disabled: Type.Optional(Type.Boolean()),
});
const readCreate = bodyReader(createBody);
const readChange = bodyReader(changeBody);

/** Everybody who can sign in, for operators. */
export function peopleRoutes(app: FastifyInstance, { people }: Parts): void {
  app.get('/console-api/people', async () => ({ data: (await people.list()).map(presentPerson) }));

  app.post('/console-api/people', { schema: { body: createBody } }, async (request) => {
    const { email, name, is_operator: isOperator = false } = readCreate(request.body);
    const { person, setupUrl } = await people.create(operatorOf(request), { email, name, isOperator });
    return { person: presentPerson({ ...person, projects: [] }), setup_url: setupUrl };
  });

  app.patch('/console-api/people/:person_id', { schema: { body: changeBody } }, async (request) => {
    const { person_id: personId } = request.params as { person_id: string };
    const { name, is_operator: isOperator, is_disabled: isDisabled } = readChange(request.body);
    return presentPerson(await people.change(operatorOf(request), personId, { name, isOperator, isDisabled }));
  });

  app.post('/console-api/people/:person_id/password-reset', async (request) => {
    const { person_id: personId } = request.params as { person_id: string };
    return { setup_url: await people.resetPassword(operatorOf(request), personId) };
  });
}
