import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { AppError } from '../../errors.ts';
import { bodyReader } from '../../http/body-reader.ts';
import type { ConsoleParts } from '../console-parts.ts';
import { presentProject } from '../present-project.ts';
import { nameSchema } from '../requests/person-fields.ts';
import { operatorOf } from '../requests/session-of.ts';

type Parts = Pick<ConsoleParts, 'projects'>;

/** The largest number of a Postgres integer. */
const most = 2_147_483_647;
const count = Type.Integer({ minimum: 0, maximum: most });
const perMinute = Type.Integer({ minimum: 1, maximum: most });

const createBody = Type.Object({ name: nameSchema });
const changeBody = Type.Object({
  name: Type.Optional(nameSchema),
  is_suspended: Type.Optional(Type.Boolean()),
  running_limit: Type.Optional(count),
  waiting_limit: Type.Optional(count),
  creates_per_minute: Type.Optional(perMinute),
  reads_per_minute: Type.Optional(perMinute),
  storage_limit_bytes: Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })),
  files_limit: Type.Optional(count),
  weight: Type.Optional(Type.Number({ minimum: 0.001, maximum: 1_000 })),
});
const readCreate = bodyReader(createBody);
const readChange = bodyReader(changeBody);

/** All projects with their limits and current use, for operators. */
export function projectRoutes(app: FastifyInstance, { projects }: Parts): void {
  const present = async (id: string) => {
    const [project] = await projects.list(id);
    if (!project) throw new AppError('not_found');
    return presentProject(project);
  };

  app.get('/console-api/projects', async () => ({ data: (await projects.list()).map(presentProject) }));

  app.post('/console-api/projects', { schema: { body: createBody } }, async (request) => {
    const { name } = readCreate(request.body);
    return present((await projects.create(operatorOf(request), name)).id);
  });

  app.patch('/console-api/projects/:project_id', { schema: { body: changeBody } }, async (request) => {
    const { project_id: projectId } = request.params as { project_id: string };
    const body = readChange(request.body);
    const changed = await projects.change(operatorOf(request), projectId, {
      ...(body.name === undefined ? {} : { name: body.name }),
      ...(body.is_suspended === undefined ? {} : { isSuspended: body.is_suspended }),
      ...(body.running_limit === undefined ? {} : { runningLimit: body.running_limit }),
      ...(body.waiting_limit === undefined ? {} : { waitingLimit: body.waiting_limit }),
      ...(body.creates_per_minute === undefined ? {} : { createsPerMinute: body.creates_per_minute }),
      ...(body.reads_per_minute === undefined ? {} : { readsPerMinute: body.reads_per_minute }),
      ...(body.storage_limit_bytes === undefined ? {} : { storageLimitBytes: body.storage_limit_bytes }),
      ...(body.files_limit === undefined ? {} : { filesLimit: body.files_limit }),
      ...(body.weight === undefined ? {} : { weight: body.weight }),
    });
    if (!changed) throw new AppError('not_found');
    return present(projectId);
  });
}
