import { uuidFromId } from './id.ts';
import { type ProjectRole, projectRoles } from './person.ts';

/** What the members of a group of the identity provider are: operators, or something in one project. */
export type GroupRole = { group: string } & ({ isOperator: true } | { projectId: string; role: ProjectRole });

/** What groups give to one person. */
export interface RolesFromGroups {
  /** Null if no group makes operators, so that groups do not decide who is one. */
  isOperator: boolean | null;
  /** By project. */
  roles: ReadonlyMap<string, ProjectRole>;
}

/** Reads `group=operator` or `group=proj_…:role`, else null. A group may contain `=`, and appear once per project. */
export function parseGroupRole(text: string): GroupRole | null {
  const [, group, projectId, name] = /^(.+)=(?:(proj_[a-z0-9]+):)?([a-z]+)$/.exec(text) ?? [];
  if (group === undefined) return null;
  if (projectId === undefined) return name === 'operator' ? { group, isOperator: true } : null;
  const role = projectRoles.find((known) => known === name);
  return role === undefined || uuidFromId('proj', projectId) === null ? null : { group, projectId, role };
}

/** Returns what the groups of a person give. If several give a role in one project, the one that may do most counts. */
export function rolesFromGroups(groups: readonly string[], mapping: readonly GroupRole[]): RolesFromGroups {
  const held = mapping.filter(({ group }) => groups.includes(group));
  const roles = new Map<string, ProjectRole>();
  for (const role of projectRoles)
    for (const given of held) if ('role' in given && given.role === role) roles.set(given.projectId, role);
  const decidesOperators = mapping.some((given) => 'isOperator' in given);
  return { isOperator: decidesOperators ? held.some((given) => 'isOperator' in given) : null, roles };
}
