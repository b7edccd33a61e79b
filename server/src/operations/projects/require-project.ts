import type { Project } from '../../db/access/project-table.ts';
import type { Tables } from '../../db/database.ts';
import { uuidFromId } from '../../domain/id.ts';
import { AppError } from '../../errors.ts';

/** Returns a project. Throws `not_found` for any other text. */
export async function requireProject({ projects }: Pick<Tables, 'projects'>, projectId: string): Promise<Project> {
  const project = uuidFromId('proj', projectId) === null ? null : await projects.find(projectId);
  if (!project) throw new AppError('not_found', { message: `Project ${projectId} not found.` });
  return project;
}
