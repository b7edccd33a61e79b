import type { Tables } from '../../db/database.ts';
import { newId } from '../../domain/id.ts';
import type { Person } from '../../domain/person.ts';
import type { ProjectMode } from '../../domain/project-mode.ts';
import { random } from '../../domain/random.ts';

/** The id of a person's key in a project and mode. No text opens it: only tokens of the person's sessions use it. */
export async function ensurePersonKey(
  { apiKeys }: Pick<Tables, 'apiKeys'>,
  { person, owner, now }: { person: Pick<Person, 'id' | 'name'>; owner: ProjectMode; now: Date },
): Promise<string> {
  return apiKeys.ensureForPerson(person, owner, {
    id: newId('key', now, owner.projectId),
    sha256: random.bytes(32),
    now,
  });
}
