import type { Person } from '../../api/people.ts';

export interface PeopleSearch {
  /** Part of a name, an e-mail address or a project. */
  text?: string;
}

/** Reads the state of the page from its address; what is malformed is left out. */
export function readPeopleSearch({ text }: Record<string, unknown>): PeopleSearch {
  return typeof text === 'string' && text !== '' ? { text } : {};
}

/** Returns the people that a text means; those who are disabled come last. */
export function findPeople(people: readonly Person[], text = ''): Person[] {
  const wanted = text.trim().toLowerCase();
  const found = people.filter(({ name, email, projects }) =>
    [name, email, ...projects.map((project) => project.name)].some((one) => one.toLowerCase().includes(wanted)),
  );
  return [
    ...found.filter(({ disabled_at }) => disabled_at === null),
    ...found.filter(({ disabled_at }) => disabled_at !== null),
  ];
}
