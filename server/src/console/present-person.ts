import type { ListedPerson } from '../db/access/people-table.ts';
import type { Member } from '../db/access/project-member-table.ts';
import { unixSeconds } from '../http/unix-seconds.ts';

/** Returns a person as operators see them. */
export function presentPerson({ projects, ...person }: ListedPerson) {
  return {
    id: person.id,
    email: person.email,
    name: person.name,
    is_operator: person.isOperator,
    created_at: unixSeconds(person.createdAt),
    last_signed_in_at: person.lastSignedInAt && unixSeconds(person.lastSignedInAt),
    disabled_at: person.disabledAt && unixSeconds(person.disabledAt),
    projects,
  };
}

/** Returns a member of a project as its admins see them. */
export function presentMember(member: Member) {
  return {
    person_id: member.personId,
    email: member.email,
    name: member.name,
    role: member.role,
    is_from_groups: member.isFromGroups,
    last_signed_in_at: member.lastSignedInAt && unixSeconds(member.lastSignedInAt),
  };
}
