import { describe, expect, test } from 'vitest';
import type { Person } from '../../api/people.ts';
import { findPeople, readPeopleSearch } from './people-search.ts';

function person(name: string, some: Partial<Person> = {}): Person {
  return {
    id: name,
    email: `${name.toLowerCase()}@example.com`,
    name,
    is_operator: false,
    created_at: 0,
    last_signed_in_at: null,
    disabled_at: null,
    projects: [],
    ...some,
  };
}

describe('finding people', () => {
  const people = [
    person('Dmitri', { disabled_at: 1 }),
    person('Ada'),
    person('Ben', { projects: [{ id: 'p', name: 'Acme', role: 'viewer' }] }),
  ];

  test('matches names, addresses and projects, whatever their case', () => {
    expect(findPeople(people, 'ADA').map(({ name }) => name)).toEqual(['Ada']);
    expect(findPeople(people, 'ben@').map(({ name }) => name)).toEqual(['Ben']);
    expect(findPeople(people, 'acme').map(({ name }) => name)).toEqual(['Ben']);
  });

  test('lists those who are disabled last', () => {
    expect(findPeople(people).map(({ name }) => name)).toEqual(['Ada', 'Ben', 'Dmitri']);
  });

  test('leaves an empty text out of the address', () => {
    expect(readPeopleSearch({ text: '' })).toEqual({});
    expect(readPeopleSearch({ text: 7 })).toEqual({});
  });
});
