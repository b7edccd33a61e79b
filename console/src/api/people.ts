import { queryOptions } from '@tanstack/react-query';
import { consoleApi } from './console-api.ts';
import type { ProjectRole } from './session.ts';

/** Somebody who may sign in, as operators see them. */
export interface Person {
  id: string;
  email: string;
  name: string;
  is_operator: boolean;
  created_at: number;
  last_signed_in_at: number | null;
  disabled_at: number | null;
  projects: { id: string; name: string; role: ProjectRole }[];
}

/** Somebody with a role in a project. */
export interface Member {
  person_id: string;
  email: string;
  name: string;
  role: ProjectRole;
  /** Whether the groups of the identity provider gave the role. */
  is_from_groups: boolean;
  last_signed_in_at: number | null;
}

/** A link with which somebody sets a password once; null for those who have signed in before. */
export interface WithSetupUrl {
  setup_url: string | null;
}

export interface PersonChange {
  name?: string;
  is_operator?: boolean;
  is_disabled?: boolean;
}

export const peopleQuery = queryOptions({
  queryKey: ['people'],
  queryFn: async () => (await consoleApi<{ data: Person[] }>('GET', '/people')).data,
});

export function addPerson(person: { email: string; name?: string; is_operator: boolean }): Promise<WithSetupUrl> {
  return consoleApi('POST', '/people', person);
}

export async function changePerson(id: string, change: PersonChange): Promise<void> {
  await consoleApi('PATCH', `/people/${id}`, change);
}

export function resetPassword(id: string): Promise<WithSetupUrl> {
  return consoleApi('POST', `/people/${id}/password-reset`);
}

export function membersQuery(projectId: string) {
  return queryOptions({
    queryKey: ['members', projectId],
    queryFn: async () => (await consoleApi<{ data: Member[] }>('GET', `/projects/${projectId}/members`)).data,
  });
}

export function addMember(
  projectId: string,
  member: { email: string; name?: string; role: ProjectRole },
): Promise<WithSetupUrl> {
  return consoleApi('POST', `/projects/${projectId}/members`, member);
}

export async function setMemberRole(projectId: string, personId: string, role: ProjectRole): Promise<void> {
  await consoleApi('PUT', `/projects/${projectId}/members/${personId}`, { role });
}

export async function removeMember(projectId: string, personId: string): Promise<void> {
  await consoleApi('DELETE', `/projects/${projectId}/members/${personId}`);
}
